#include "modules.hpp"

namespace retime::live_belief {

void bind(nanobind::module_ &) {}

}  // namespace retime::live_belief
