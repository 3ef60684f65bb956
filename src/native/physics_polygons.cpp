#include "modules.hpp"

namespace retime::physics_polygons {

void bind(nanobind::module_ &) {}

}  // namespace retime::physics_polygons
