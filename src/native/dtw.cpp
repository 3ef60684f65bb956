#include "modules.hpp"

namespace retime::dtw {

void bind(nanobind::module_ &) {}

}  // namespace retime::dtw
