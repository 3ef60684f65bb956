#include "modules.hpp"

namespace retime::physics_timing {

void bind(nanobind::module_ &) {}

}  // namespace retime::physics_timing
