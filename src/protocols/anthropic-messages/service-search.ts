// Which servers of this dialect search deferred tools themselves. A server without the search refuses it, or gives the model all tools.

/** Anthropic, and the clouds that serve Claude under Anthropic's API: any name can be a Claude deployment there. */
const withSearch =
  /(?:^|\.)(?:anthropic\.com|(?:services\.ai|anthropic)\.azure\.com|api\.aws|amazonaws\.com)$/

/** Services of other vendors. Some of them take Claude's names for models of their own. */
const withoutSearch =
  /(?:^|\.)(?:deepseek\.com|z\.ai|bigmodel\.cn|moonshot\.(?:ai|cn)|kimi\.com|minimax\.io|minimaxi\.com|aliyuncs\.com)$/

/** At any other address (a local server, a company's gateway) the model decides. */
export function searchesTools(host: string, model: string): boolean {
  const name = host.split(':', 1)[0] ?? host
  if (withSearch.test(name)) return true
  return !withoutSearch.test(name) && model.includes('claude')
}
