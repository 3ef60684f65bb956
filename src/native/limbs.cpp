#include "modules.hpp"

namespace retime::limbs {

void bind(nanobind::module_ &) {}

}  // namespace retime::limbs
