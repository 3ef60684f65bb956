#include "modules.hpp"

namespace retime::live_cycles {

void bind(nanobind::module_ &) {}

}  // namespace retime::live_cycles
