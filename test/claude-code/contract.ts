// The contract of Claude Code with a gateway, row by row, and where each row is shown. Sections are those of the contract: 1 endpoints,
// 2 headers, 3 bodies, 4 betas, 5 features, 6 attribution and cache, 7 discovery, 8 counts, 9 ids, 10 streams, 11 errors, 12 answer
// headers, 13 apps gateway, 14 clouds as doors, 15 cases.

interface Row {
  section: number
  row: string
  /** `file > name of a test`, below test/ (`.test.ts` is left out), or `real > scenario` with the client's own program. */
  shown: readonly string[]
  /** Why no wire shows it, or why the gateway does otherwise. */
  why?: string
}

const row = (section: number, name: string, ...shown: string[]): Row => ({ section, row: name, shown })
const unseen = (section: number, name: string, why: string, ...shown: string[]): Row => ({
  ...row(section, name, ...shown),
  why,
})

const anthropic = 'claude-code/anthropic-behind'
const turns = 'claude-code/anthropic-turns'
const others = 'claude-code/others-behind'
const headers = 'claude-code/client-headers'
const errors = 'claude-code/errors'
const cuts = 'claude-code/cuts'
const discovery = 'claude-code/discovery'
const sessions = 'claude-code/sessions'
const first = `${anthropic} > the first turn of %s arrives to the byte, with its betas`

export const contract: readonly Row[] = [
  row(1, 'POST /v1/messages?beta=true', first, `${others} > the first turn is answered, streamed: %s`),
  row(
    1,
    'count_tokens',
    `${anthropic} > of 24 requests at once, each with its own fields`,
    'real > /context',
  ),
  row(
    1,
    'GET /v1/models',
    `${discovery} > lists every model of every backend under an id that the menu takes`,
  ),
  row(1, 'HEAD /api/hello', `${headers} > the first word needs no credential`),
  row(1, 'sign-in, policy and telemetry of a Claude apps gateway', `${headers} > %s %s is not served`),
  unseen(
    1,
    'fast-mode check, domain check, telemetry',
    'they go to api.anthropic.com, past the gateway: docs/claude-code.md',
  ),
  row(1, 'bodies with a content-encoding', 'end-to-end/surface > content-encoding %s: 415'),

  row(2, 'anthropic-version', `${anthropic} > the client's version passes, its credentials do not`),
  row(
    2,
    'anthropic-beta',
    `${anthropic} > unknown betas and fields pass; a beta that the service does not know is refused in its words`,
  ),
  row(
    2,
    'Authorization and x-api-key',
    `${headers} > of %s`,
    `${anthropic} > the client's version passes, its credentials do not`,
  ),
  row(
    2,
    'anthropic-workspace-id',
    'end-to-end/dialect-headers > account selectors pass where the configuration names them',
  ),
  row(
    2,
    'session and agent ids',
    `${sessions} > a subagent and the main turn, with the same words at the same time, each keep their run`,
    `${headers} > ids of sessions and agents, and what speaks of its SDK, stay at the gateway`,
  ),
  row(
    2,
    'x-claude-code-{agent-type,request-class,auxiliary-type,prompt-id}',
    `${headers} > what the program says of itself and of the request passes, names of tomorrow too`,
    `${others} > no header of the client reaches the service`,
  ),
  row(
    2,
    'User-Agent',
    `${headers} > what the program says of itself and of the request passes, names of tomorrow too`,
    'end-to-end/clouds > sends the request in the form of the cloud, with the bytes of the client',
  ),
  row(
    2,
    'x-app, X-Stainless-*, browser access',
    `${headers} > ids of sessions and agents, and what speaks of its SDK, stay at the gateway`,
  ),
  row(
    2,
    'ANTHROPIC_CUSTOM_HEADERS',
    "end-to-end/dialect-headers > unknown headers of the dialect reach the service, the other dialect's do not",
  ),

  row(3, 'models with effort in messages, without it, of before', first),
  row(
    3,
    'a name that the client does not know',
    `${turns} > an alias, which the client does not know, is asked by its name`,
    `${turns} > a name that the gateway does not know either is asked as it is: the service says what it does not take`,
    `${turns} > an alias of a model without system messages is served: they become words of the user`,
  ),
  row(
    3,
    'an earlier system message as a plain string',
    'claude-code/prompt-cache > cache reads grow with the conversation, streamed: %s',
  ),
  row(
    3,
    'experimental betas off, tool search off, fine-grained streaming, 1 h cache, --json-schema',
    `${turns} > a turn with %s arrives to the byte`,
    `${others} > a turn with %s is answered`,
  ),
  row(
    3,
    'auto mode',
    `${turns} > %s passes both ways`,
    `${others} > %s is refused by its name`,
    'real > auto mode',
  ),
  row(
    3,
    '--effort in a running session',
    `${anthropic} > an effort in mid-conversation, as a message without content, stays where it is`,
    `${others} > %s: the last effort of the conversation wins`,
  ),
  unseen(
    3,
    'model[1m], MAX_THINKING_TOKENS=0',
    'the client cuts the suffix, and the other has no effect: a beta more at most',
    first,
  ),

  row(
    4,
    'a field whose beta is missing',
    `${anthropic} > a field without its beta is refused by the service, in its own words`,
    `${turns} > %s without its beta is refused by the service, in the words that the client matches`,
  ),
  row(4, 'a beta that is not enabled', `${anthropic} > %s %s keeps its status, words and times`),

  row(5, 'the body as a whole', first),
  row(5, 'the answer as a whole', `${turns} > %s passes both ways`),
  row(
    5,
    'adaptive thinking, thinking replay',
    `${anthropic} > thinking comes back in place: %j`,
    `${others} > thinking without text, redacted and unknown blocks in the history are no error`,
  ),
  row(
    5,
    'effort, per-message effort',
    `${anthropic} > an effort in mid-conversation, as a message without content, stays where it is`,
    `${others} > %s: a level that it does not have is the next lower one`,
  ),
  row(
    5,
    'mid-conversation system messages',
    first,
    `${others} > a system message inside the conversation keeps its place, behind the words of the user`,
  ),
  row(
    5,
    'tool changes',
    `${anthropic} > tools that come and go, %s, pass`,
    `${others} > a tool that comes late, %s, is offered, and its neighbours are read`,
    `${others} > a tool that goes stays declared, and the model is told`,
    'real > an MCP server that connects late',
  ),
  row(
    5,
    'tool search of the client',
    `${anthropic} > a search for tools, its references and the placeholder pass`,
    `${others} > a search for tools: the reference is text, the tool is offered, the placeholder is not`,
    'real > tool search with 200 tools',
  ),
  unseen(
    5,
    'tool search of the service',
    'Claude Code does not send it',
    'end-to-end/deferred-cache > a client that leaves the search to the service: its blocks pass both ways',
  ),
  row(
    5,
    'WebSearch',
    `${anthropic} > web search reaches the service`,
    `${turns} > the links of a web search`,
    `${others} > web search alone is refused, streamed: %s`,
    'real > WebSearch',
    'real > WebSearch by the gateway',
  ),
  unseen(
    5,
    'WebFetch',
    'an ordinary turn of the small model, after a fetch of the client',
    `${discovery} > claude-via/%s can be called, and keeps its name in the answer`,
  ),
  row(5, 'context management', first, `${others} > %j is left out; with a note: %s`),
  row(5, 'compaction', 'real > /compact, and one more turn'),
  row(
    5,
    'auto mode: safeguards, safeguard_results',
    `${anthropic} > safeguards pass with their beta, and so does what the service says about them`,
    `${turns} > %s passes both ways`,
    `${others} > %s is refused by its name`,
    'real > auto mode',
  ),
  row(5, 'fine-grained tool streaming, structured output', `${turns} > a turn with %s arrives to the byte`),
  row(5, 'fast mode', `${turns} > %s passes both ways`, `${others} > %s is left out, with a note`),
  row(5, 'refusal', `${turns} > %s passes both ways`, 'claude-code/refusals > %s: a filter cuts the answer'),
  row(
    5,
    'fallbacks, credit, threads, server compaction, tags',
    `${turns} > %s and its beta reach the service, whatever it says to them`,
    `${others} > %s is left out, with a note`,
  ),
  unseen(5, 'advisor', 'only direct and on AWS', `${others} > %s alone is refused`),
  row(5, 'cache marks', 'claude-code/prompt-cache > cache reads grow with the conversation, streamed: %s'),

  row(
    6,
    'the attribution block',
    `${anthropic} > the attribution block is first, alone and unchanged`,
    `${others} > the attribution block is not part of the prompt`,
  ),
  row(
    6,
    'the cached prefix',
    'claude-code/prompt-cache > cache reads grow with the conversation, streamed: %s',
    'claude-code/prompt-cache > a change in the prefix is seen: the cache is read no more',
    'real > a session of 20 turns, and the prompt cache',
  ),

  row(
    7,
    'ids of the menu, names, descriptions, pages',
    `${discovery} > lists every model of every backend under an id that the menu takes`,
    `${discovery} > each has a name and a description that fits the menu`,
    `${discovery} > is given in pages`,
    `${discovery} > claude-via/%s can be called, and keeps its name in the answer`,
  ),

  row(
    8,
    'fields, lists without tools, forced choices, edited histories',
    `${anthropic} > of 24 requests at once, each with its own fields`,
    `${anthropic} > an empty list of tools is counted`,
    `${anthropic} > a forced choice, which the turn only asks for on this model, is counted as the turn is sent`,
    `${anthropic} > the service's refusal of an edited history is relayed`,
  ),
  row(8, 'estimates', `${others} > 24 counts at once are estimates, or the count of a service that has one`),

  row(
    9,
    'subagents beside the main turn',
    `${sessions} > a subagent and the main turn, with the same words at the same time, each keep their run`,
    `${sessions} > two sessions with the same conversation each go on from their own`,
    'real > a subagent',
  ),

  row(10, 'unknown events and blocks', `${turns} > %s passes both ways`),
  row(
    10,
    'an error before content, and after text',
    `${cuts} > before any block: the status and the words of the service`,
    `${cuts} > after text: an event`,
    `${cuts} > %s, before any block and after text`,
  ),
  row(
    10,
    'the end of the file before any block, and after text',
    `${cuts} > cut before any block (%j): an error that is worth a retry, and no end`,
    `${cuts} > cut after text (%j): the text, an error, and no end`,
    `${cuts} > cut in an answer that is not streamed: an error`,
  ),
  unseen(
    10,
    'watchdogs of 180 s and 300 s',
    'the gateway sends keep-alives after 15 s',
    'wire-cases/answers > our own keep-alive is a comment with one newline',
  ),
  row(10, '404 only for what is not there', `${errors} > %s is not asked again`),
  row(10, 'a cancelled turn', 'real > cancel'),

  row(
    11,
    '408 to 529: retries and their times',
    `${anthropic} > %s %s keeps its status, words and times`,
    `${errors} > %s is worth a retry soon`,
    'real > a backend that is down',
  ),
  row(
    11,
    '529 for a backend that is down',
    `${errors} > a headless session is told so at its fifth request`,
    'real > a backend that stays down',
  ),
  row(
    11,
    'x-should-retry',
    `${anthropic} > %s %s keeps its status, words and times`,
    `${errors} > %s is not asked again`,
  ),
  row(11, '401', `${headers} > of %s`, `${errors} > a refused credential of the gateway`),
  unseen(
    11,
    '403',
    "the client's own key is right, so the service's 403 is a 502 that no retry mends",
    `${anthropic} > a right that the account lacks is no fault of the client: 502, and no retry`,
  ),
  row(11, '422, policy_blocked, billing_error', `${anthropic} > %s %s keeps its status, words and times`),
  row(
    11,
    'prompt too long, output room',
    `${anthropic} > %s %s keeps its status, words and times`,
    `${errors} > too long: %s`,
    `${errors} > %s: too long`,
    'real > a conversation that is too long',
  ),
  row(
    11,
    'images and documents',
    `${errors} > images: %s`,
    `${errors} > %s: an image that it does not take`,
    `${errors} > the web chat takes none: the gateway refuses in the words of the service`,
    'real > an image that the model does not take',
  ),
  row(
    11,
    'system role, tool_addition, context_management',
    `${turns} > a name that the gateway does not know either is asked as it is: the service says what it does not take`,
    `${turns} > %s without its beta is refused by the service, in the words that the client matches`,
  ),
  row(
    11,
    'the prefix check',
    `${anthropic} > the service's refusal of an edited history is relayed`,
    `${anthropic} > headers about the gateway's account do not pass, the note about thinking does`,
  ),
  unseen(
    11,
    'the other words of Anthropic',
    'relayed unchanged like these, whatever they are',
    `${anthropic} > %s %s keeps its status, words and times`,
  ),

  row(
    12,
    'limits, ids and names of the account',
    `${anthropic} > headers about the gateway's account do not pass, the note about thinking does`,
    'end-to-end/dialect-headers > the headers of the answer, streamed: %s',
  ),

  row(13, 'device flow, managed settings, usage', `${headers} > %s %s is not served`),
  row(14, 'Bedrock and Vertex as doors', `${headers} > %s %s is not served`),

  row(15, '1 the first turn', first),
  row(
    15,
    '2 effort in a running session',
    `${anthropic} > an effort in mid-conversation, as a message without content, stays where it is`,
  ),
  row(15, '3 an MCP server that connects late', 'real > an MCP server that connects late'),
  row(15, '4 tool search', 'real > tool search with 200 tools'),
  row(15, '5 web search', 'real > WebSearch'),
  row(15, '6 auto mode', 'real > auto mode'),
  row(15, '7 /compact and /context', 'real > /compact, and one more turn', 'real > /context'),
  row(
    15,
    '8 healing',
    'real > a conversation that is too long',
    `${anthropic} > %s %s keeps its status, words and times`,
  ),
  row(
    15,
    '9 a subagent at the same time',
    `${sessions} > a subagent and the main turn, with the same words at the same time, each keep their run`,
  ),
  row(
    15,
    '10 discovery',
    `${discovery} > lists every model of every backend under an id that the menu takes`,
  ),
  row(15, '11 529', `${anthropic} > %s %s keeps its status, words and times`),
  row(15, '12 attribution', `${anthropic} > the attribution block is first, alone and unchanged`),
  row(15, '13 cuts', `${cuts} > cut before any block (%j): an error that is worth a retry, and no end`),
  row(15, '14 counts', `${anthropic} > the service's refusal of an edited history is relayed`),
  row(
    15,
    '15 odd blocks',
    `${anthropic} > thinking comes back in place: %j`,
    `${others} > thinking without text, redacted and unknown blocks in the history are no error`,
  ),
]
