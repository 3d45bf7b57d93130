// SPDX-License-Identifier: Apache-2.0
//
// Of the static program alone. libtraceevent's plugins are shared libraries, which perf2x
// loads none of, and a static program cannot. This takes the place of the one function of
// theirs that the parser calls, so that they and the dynamic loader are not linked.

struct tep_handle;
void free_tep_plugin_paths(struct tep_handle* tep);
void free_tep_plugin_paths(struct tep_handle* tep) { (void)tep; }
