#include "modules.hpp"

namespace retime::guided_windows {

void bind(nanobind::module_ &) {}

}  // namespace retime::guided_windows
