#include "modules.hpp"

namespace retime::physics_figure {

void bind(nanobind::module_ &) {}

}  // namespace retime::physics_figure
