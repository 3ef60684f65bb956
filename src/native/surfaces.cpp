#include "modules.hpp"

namespace retime::surfaces {

void bind(nanobind::module_ &) {}

}  // namespace retime::surfaces
