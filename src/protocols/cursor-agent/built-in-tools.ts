// Cursor's own tools under their names in the toolset headers: the kinds of agent.v1.ToolCall.

const names = `
  shell delete glob grep read update_todos read_todos edit ls read_lints mcp sem_search create_plan web_search task
  list_mcp_resources read_mcp_resource apply_agent_diff ask_question fetch switch_mode generate_image record_screen computer_use
  write_shell_stdin reflect setup_vm_environment truncated start_grind_execution start_grind_planning web_fetch
  report_bugfix_results ai_attribution pr_management mcp_auth await blame_by_file_path get_mcp_tools report_bug set_active_branch
  communicate_update send_final_summary update_pr_code_tour replace_env edit_pr_labels record_ci_investigation_findings
  send_message fetch_cloud_agent_data send_to_user pi_read pi_bash pi_edit pi_write pi_grep pi_find pi_ls connect_scm
  search_conversations create_goal update_goal adopt get_agent_status send_to_agent read_agent_transcript create_agent stop_agent
  get_pr_code_tour write_canvas read_canvas
`

export const builtInTools: readonly string[] = names
  .trim()
  .split(/\s+/)
  .map((name) => `${name}_tool_call`)
