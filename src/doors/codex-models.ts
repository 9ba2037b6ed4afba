// The models as Codex describes models: for its `/models` request and for the catalogue that `dragoman setup codex` writes. Codex
// chooses tools, prompt, context window and compaction by this description; for a name without one it warns and offers fewer tools.
// Each entry has all the members that Codex 0.166 requires: without one of them it refuses the whole list.

import type { Model } from '../core/backend.ts'
import type { ReasoningEffort } from '../core/request.ts'

type CodexModelFacts = Pick<Model, 'id'> & {
  [name in 'displayName' | 'contextTokens' | 'outputTokens' | 'efforts' | 'images']?: Model[name] | undefined
}

/** For a model whose window is not known: most models have at least this one. */
const usualWindow = 128_000

/** Tokens of a tool result that Codex sends; the rest is cut out of its middle. */
const longestResult = 10_000

/** The part of the window at which Codex compacts by itself, and the least that is left to work with. */
const [compactsAt, leastShare] = [0.9, 0.5]

const effortWords: Record<ReasoningEffort, string> = {
  none: 'No reasoning: the fastest answers',
  minimal: 'Hardly any reasoning',
  low: 'Little reasoning, quick answers',
  medium: 'A balance of speed and depth',
  high: 'Thorough reasoning for hard tasks',
  xhigh: 'Very thorough reasoning, slow',
  max: 'As much reasoning as the model has',
}

const instructions = `You are a coding agent in the user's terminal. You work in the folder that the environment context names, with the tools that you are given.

Work
- Look before you change anything: read the files that matter, search with rg, and follow the conventions that you find. Files named AGENTS.md hold the user's rules for the folder they are in; obey them.
- Do the whole task. Continue until it is done or until you need a decision that only the user can make. Do not stop at a plan.
- Change what the task needs and nothing else. Fix causes, not symptoms. Never revert changes that you did not make.
- Check your work: run the tests, the build or the program, as far as they exist. Say so if you could not.
- Commit, push, delete or install only if the user asked for it.

Tools
- Call a tool when you need it; never say that you did something that no tool did. Use only the tools that are offered, by their exact names and parameters.
- Independent calls can be made together.
- Edit files with apply_patch where it is offered. Its input begins with "*** Begin Patch" and ends with "*** End Patch". In between, each file has a header, "*** Add File: PATH", "*** Update File: PATH" or "*** Delete File: PATH". Lines of a new file begin with "+". In an update, "@@" begins a hunk; unchanged lines begin with a space, removed lines with "-", added lines with "+". Paths are relative.
- If a call fails, read the error and change the call; do not repeat it unchanged.
- If you lack a tool for something and tool_search is offered, search there before you give up.

Answers
- Short and plain. Say what you did, where, and what is left. Name files by their path; do not paste whole files.
- If the result of a command matters to the user, say what it was: the user does not see tool output.`

/** `priority`: the place in Codex's picker; the first model is its default. */
export function codexModel(model: CodexModelFacts, priority: number): Record<string, unknown> {
  const {
    id,
    displayName,
    contextTokens: window = usualWindow,
    outputTokens = 0,
    efforts = [],
    images,
  } = model
  const forInput = Math.max(window - outputTokens, window * leastShare)
  return {
    slug: id,
    display_name: displayName ?? id,
    description: displayName === undefined ? 'By way of Dragoman' : `${id}, by way of Dragoman`,
    supported_reasoning_levels: efforts.map((effort) => ({ effort, description: effortWords[effort] })),
    shell_type: 'shell_command',
    visibility: 'list',
    supported_in_api: true,
    priority,
    base_instructions: instructions,
    support_verbosity: false,
    apply_patch_tool_type: 'freeform',
    truncation_policy: { mode: 'tokens', limit: longestResult },
    context_window: window,
    max_context_window: window,
    auto_compact_token_limit: Math.floor(Math.min(window * compactsAt, forInput)),
    supports_parallel_tool_calls: true,
    experimental_supported_tools: [],
    input_modalities: images === false ? ['text'] : ['text', 'image'],
    // Every kind of backend has it: T80, and the real client's own search on each of them.
    supports_search_tool: true,
    // Code mode is for models that were trained for it: every other one calls tools as it knows them.
    tool_mode: null,
    use_responses_lite: false,
  }
}

export const codexModels = (models: readonly CodexModelFacts[]): Record<string, unknown>[] =>
  models.map((model, at) => codexModel(model, at + 1))
