#include "modules.hpp"

namespace retime::guided_search {

void bind(nanobind::module_ &) {}

}  // namespace retime::guided_search
