#include "modules.hpp"

namespace retime::guided_costs {

void bind(nanobind::module_ &) {}

}  // namespace retime::guided_costs
