// What Claude Code is made to do, and how one sees that it worked: on the wire between it and the gateway, at the service, and in its
// output. The simulated model's side is scripted. A scenario returns what is wrong, or nothing.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  asked,
  call,
  forecast,
  isAnthropic,
  mcp,
  newTools,
  offered,
  png,
  posts,
  readme,
  refusals,
  searchBlocks,
  told,
  turns,
  unmet,
} from './script.mjs'

export const scenarios = {
  'tool search with 200 tools': async (rig) => {
    turns(
      rig,
      [call('ToolSearch', { query: `select:${forecast}` })],
      newTools,
      [call(forecast, { city: 'Rome' })],
      [{ say: 'Sunny in Rome.' }],
    )
    const args = [...mcp(rig, { MCP_TOOLS: '200' }), '--allowedTools', 'ToolSearch', forecast]
    const { output } = await rig.run(['-p', 'The weather in Rome?', ...args])
    return unmet({
      'it says the answer': output.includes('Sunny in Rome.'),
      'no request is refused': refusals(rig).length === 0,
      'the first request has few tools': posts(rig)[0].body.tools.length < 30,
      'the service is not offered the tool before it is found': !offered(rig, 0).includes(forecast),
      'the service is offered the tool that was found': offered(rig).includes(forecast),
      'the service is not offered the others': !offered(rig).includes('mcp__weather__report_7'),
      'its result reaches the service': told(rig).includes('forecast of Rome: sunny, 21 degrees'),
      'the placeholder reaches Anthropic alone':
        offered(rig).includes('DeferredToolPlaceholder') === isAnthropic(rig),
    })
  },

  'an MCP server that connects late': async (rig) => {
    turns(
      rig,
      [call('Bash', { command: 'sleep 6' })],
      newTools,
      [call(forecast, { city: 'Oslo' })],
      [{ say: 'Sunny in Oslo.' }],
    )
    const late = mcp(rig, { MCP_TOOLS: '3', MCP_DELAY_MS: '3000', MCP_ALWAYS_LOAD: '1' })
    const env = { CLAUDE_CODE_MCP_STARTUP_WAIT_MS: '1', MCP_CONNECTION_NONBLOCKING: '1' }
    const { output } = await rig.run(
      ['-p', 'Wait, then the weather?', ...late, '--allowedTools', 'Bash(sleep:*)', forecast],
      {
        env,
      },
    )
    const isLate = !posts(rig)[0].body.tools.some(({ name }) => name === forecast)
    return unmet({
      'it says the answer': output.includes('Sunny in Oslo.'),
      'no request is refused': refusals(rig).length === 0,
      'the tool is not there at first': isLate,
      'the service is offered the tool later': offered(rig).includes(forecast),
      'the change of tools reaches the service': isAnthropic(rig)
        ? told(rig).includes('tool_addition')
        : told(rig).includes('can be called now'),
    })
  },

  'plan mode': async (rig) => {
    turns(rig, [readme(rig)], [{ say: 'The plan: keep the magic word.' }])
    const { output } = await rig.run(['-p', 'Plan a change of README.md', '--permission-mode', 'plan'])
    return unmet({
      'it says the plan': output.includes('keep the magic word'),
      'nothing but the safety check is refused': refusals(rig).every(({ answer }) =>
        answer.includes('safeguards'),
      ),
      'the service is told of the mode': /plan mode/i.test(told(rig)),
      'the file reaches the service': told(rig).includes('magic word is 4711'),
    })
  },

  'a subagent': async (rig) => {
    const task = {
      description: 'Read the file',
      prompt: 'Find the magic word.',
      subagent_type: 'general-purpose',
    }
    const isSub = ({ bodyText }) =>
      bodyText.includes('Find the magic word.') && !bodyText.includes('Ask an agent')
    const own = (steps) => ({ when: (request) => isSub(request), steps })
    const main = (steps) => ({ when: (request) => !isSub(request), steps })
    rig.sim.play(
      main([call('Agent', task)]),
      own([readme(rig)]),
      own([{ say: 'It is 4711, says the agent.' }]),
      main([{ say: 'The agent found 4711.' }]),
      main([{ say: 'The agent found 4711.' }]),
    )
    const { output } = await rig.run([
      '-p',
      'Ask an agent for the magic word',
      '--allowedTools',
      'Agent',
      'Read',
    ])
    const agents = new Set(posts(rig).map(({ headers }) => headers['x-claude-code-agent-id']))
    const sessions = new Set(posts(rig).map(({ headers }) => headers['x-claude-code-session-id']))
    return unmet({
      'it says what the agent found': output.includes('4711'),
      'no request is refused': refusals(rig).length === 0,
      'the agent has an id of its own in the same session': agents.size === 2 && sessions.size === 1,
      "the agent's result reaches the service": asked(rig).some(
        ({ bodyText }) => !isSub({ bodyText }) && bodyText.includes('says the agent'),
      ),
      'the ids do not reach the service': asked(rig).every(
        ({ headers }) => !headers['x-claude-code-session-id'],
      ),
      'the log has session and agent': [...agents].every(
        (id) => id === undefined || rig.gateway.log().includes(id),
      ),
    })
  },

  '/compact, and one more turn': async (rig) => {
    turns(rig, [readme(rig)], [{ say: 'It is 4711.' }])
    await rig.run(['-p', 'Read README.md', '--allowedTools', 'Read'])
    turns(rig, [{ say: '<summary>We found that the word is 4711.</summary>' }])
    await rig.run(['-p', '--continue', '/compact'])
    turns(rig, [{ say: 'Still 4711.' }])
    const { output } = await rig.run(['-p', '--continue', 'And now?'])
    return unmet({
      'it says the answer': output.includes('Still 4711.'),
      'no request is refused': refusals(rig).length === 0,
      'the summary takes the place of the history':
        told(rig).includes('We found that the word is 4711.') && !/"tool_use"|"tool_calls"/.test(told(rig)),
    })
  },

  '/context': async (rig) => {
    const { output } = await rig.run(['-p', '/context'])
    const counts = rig.seen.filter(({ path }) => path.includes('count_tokens'))
    return unmet({
      'it shows the window': /Tokens:.*\/ (?:1m|200k)/.test(output),
      'many counts are asked': counts.length >= 20,
      'all are answered': counts.every(({ status }) => status === 200),
    })
  },

  WebSearch: async (rig) => {
    const isSearch = ({ bodyText }) => bodyText.includes('web_search_20250305')
    rig.sim.play(
      { when: (request) => !isSearch(request), steps: [call('WebSearch', { query: 'node 24' })] },
      { when: isSearch, steps: [{ say: 'Node 24 is out.' }, ...searchBlocks] },
      { when: (request) => !isSearch(request), steps: [{ say: 'That is all.' }] },
    )
    await rig.run(['-p', 'Search the web for node 24', '--allowedTools', 'WebSearch'])
    if (isAnthropic(rig))
      return unmet({
        'no request is refused': refusals(rig).length === 0,
        'the service searches': asked(rig).some(isSearch),
        'the client takes the links from the blocks': told(rig).includes('https://news.example/24'),
        'and the words of the answer': told(rig).includes('Node 24 is out.'),
      })
    return unmet({
      'the search is refused': refusals(rig).every(({ answer }) =>
        answer.includes('Web search is not available'),
      ),
      'it was asked for': refusals(rig).length > 0,
      'no service is asked to search without its tool': asked(rig).every(
        ({ bodyText }) => !bodyText.includes('Perform a web search'),
      ),
      'the model learns that there is no search': told(rig).includes('Web search is not available'),
    })
  },

  'WebSearch by the gateway': async (rig) => {
    const isSearch = ({ bodyText }) => bodyText.includes('Perform a web search')
    rig.search.finds([{ url: 'https://news.example/24', title: 'Node 24', text: 'Node 24 came in 2025.' }])
    rig.sim.play(
      { when: (request) => !isSearch(request), steps: [call('WebSearch', { query: 'node 24' })] },
      { when: isSearch, steps: [call('web_search', { query: 'node 24 release' })] },
      { when: isSearch, steps: [{ say: 'It came in 2025.' }] },
      { when: (request) => !isSearch(request), steps: [{ say: 'That is all.' }] },
    )
    const { output } = await rig.run(['-p', 'Search the web for node 24', '--allowedTools', 'WebSearch'])
    // Its own service searches itself.
    if (isAnthropic(rig)) return unmet({ 'the gateway does not search': rig.search.requests.length === 0 })
    return unmet({
      'it says the answer': output.includes('That is all.'),
      'no request is refused': refusals(rig).length === 0,
      'the gateway searches': rig.search.requests[0]?.query.q === 'node 24 release',
      'the model that searches reads what was found': asked(rig).some(
        ({ bodyText }) => isSearch({ bodyText }) && bodyText.includes('Node 24 came in 2025.'),
      ),
      'the client takes the links from the blocks': told(rig).includes('https://news.example/24'),
      'and the words of the answer': told(rig).includes('It came in 2025.'),
    })
  },

  'auto mode': async (rig) => {
    const id = 'toolu_auto_1'
    // Not one of the commands that need no check.
    const command = call('Bash', { command: `node -e 'console.log("went-" + (1 + 1))'` }, id)
    const verdict = { type: 'evaluated', outcome: 'not_flagged' }
    const results = [
      { type: 'dangerous_tool_use', status: { type: 'available', tool_uses: { [id]: verdict } } },
    ]
    const delta = { stop_reason: 'tool_use', stop_sequence: null, safeguard_results: results }
    const usage = { output_tokens: 9 }
    const end = isAnthropic(rig)
      ? [
          { frame: { type: 'message_delta', delta, usage }, event: 'message_delta' },
          { frame: { type: 'message_stop' }, event: 'message_stop' },
        ]
      : []
    turns(rig, [command, ...end], [{ say: 'Done.' }])
    const { output } = await rig.run(['-p', 'Run it', '--permission-mode', 'auto'])
    const withField = asked(rig).filter(({ bodyText }) => bodyText.includes('"safeguards"'))
    if (isAnthropic(rig))
      return unmet({
        'no request is refused': refusals(rig).length === 0,
        'the field reaches the service': withField.length > 0,
        'the verdict reaches the client': posts(rig)[0].answer.includes('safeguard_results'),
        'the command runs': told(rig).includes('went-2'),
        'it goes on': output.includes('Done.'),
      })
    return unmet({
      'the field is refused once, by its name':
        refusals(rig).length === 1 && refusals(rig)[0].answer.includes('safeguards'),
      'the client goes on without it': posts(rig).at(-1).body.safeguards === undefined,
      'no service gets it': withField.length === 0,
      'the client runs no command that nobody judged': !told(rig).includes('went-2'),
      'and says why': told(rig).includes('its safety check does not run'),
      'no verdict is invented': posts(rig).every(({ answer }) => !answer.includes('safeguard_results')),
    })
  },

  cancel: async (rig) => {
    turns(rig, [{ forever: { everyMs: 20, text: 'and then ' } }])
    await rig.run(['-p', 'Tell me a very long story.'], {
      whileRunning: async ({ interrupt }) => {
        while (!posts(rig)[0]?.answer?.includes('and then')) await sleep(50)
        interrupt()
      },
    })
    const isSeen = () => asked(rig)[0]?.closedByClientAt !== undefined
    const isLogged = () => rig.gateway.log().includes('"outcome":"canceled"')
    for (let tries = 0; tries < 80 && !(isSeen() && isLogged()); tries++) await sleep(50)
    return unmet({ 'the service sees the end': isSeen(), 'the log says so': isLogged() })
  },

  'a conversation that is too long': async (rig) => {
    const long = isAnthropic(rig)
      ? {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: 'prompt is too long: 210000 tokens > 200000 maximum',
          },
        }
      : {
          error: {
            message:
              "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
            ...{ type: 'invalid_request_error', code: 'context_length_exceeded', param: 'messages' },
          },
        }
    turns(
      rig,
      [readme(rig)],
      [{ status: 400, body: long }],
      [{ say: '<summary>The word is 4711.</summary>' }],
      [{ say: 'Healed.' }],
    )
    const { output } = await rig.run(['-p', 'Read README.md', '--allowedTools', 'Read'])
    return unmet({
      'it compacts and goes on': output.includes('Healed.'),
      'after one refusal': refusals(rig).length === 1,
    })
  },

  'an image that the model does not take': async (rig) => {
    writeFileSync(join(rig.workspace, 'a.png'), Buffer.from(png, 'base64'))
    const refusal = {
      message: 'image_url is only supported by certain models.',
      type: 'invalid_request_error',
      code: null,
    }
    turns(
      rig,
      [call('Read', { file_path: join(rig.workspace, 'a.png') })],
      [{ status: 400, body: { error: refusal } }],
      [{ say: 'Healed.' }],
    )
    const { output } = await rig.run(['-p', 'Read a.png', '--allowedTools', 'Read'])
    return unmet({
      'it goes on': output.includes('Healed.'),
      'the image was sent': told(rig, -2).includes('data:image/png'),
      'the image is sent no more': !told(rig).includes('data:image/png'),
    })
  },

  'a backend that is down': async (rig) => {
    await rig.sim.close()
    const { milliseconds, output } = await rig.run(['-p', 'hello'], { env: { CLAUDE_CODE_MAX_RETRIES: '2' } })
    return unmet({
      'each answer is a 529 with a time to wait': posts(rig).every(
        ({ status, answerHeaders }) => status === 529 && Number(answerHeaders['retry-after']) > 0,
      ),
      'it is asked again': posts(rig).length === 3,
      'it ends soon and says why': milliseconds < 30_000 && output.includes('could not be reached'),
    })
  },

  'a backend that stays down': async (rig) => {
    await rig.sim.close()
    const { milliseconds, output } = await rig.run(['-p', 'hello'])
    return unmet({
      'it is asked five times': posts(rig).length === 5,
      'the last answer is final': posts(rig).at(-1).answerHeaders['x-should-retry'] === 'false',
      'it ends in half a minute and says why':
        milliseconds < 30_000 && output.includes('could not be reached'),
    })
  },

  'a session of 20 turns, and the prompt cache': async (rig) => {
    turns(rig, ...Array.from({ length: 19 }, () => [{ think: 'hm' }, readme(rig)]), [{ say: 'Enough.' }])
    const { output } = await rig.run(['-p', 'Read README.md again and again', '--allowedTools', 'Read'])
    const reads = posts(rig).map(({ answer }) =>
      Number(/"cache_read_input_tokens":(\d+)/.exec(answer)?.[1] ?? 0),
    )
    return unmet({
      'it says the end': output.includes('Enough.'),
      'twenty turns are asked': reads.length === 20,
      'no request is refused': refusals(rig).length === 0,
      [`cache reads never shrink (${reads})`]: reads.every((read, at) => at === 0 || read >= reads[at - 1]),
      'they grow': reads[19] > reads[1],
    })
  },
}

const byRequest = 'its script tells requests apart, which all are one run here'
const blindly = 'its simulator takes every image'

/** Scenarios that a service cannot show, and why. */
export const notApplicable = {
  'a subagent': { cursor: byRequest },
  '/compact, and one more turn': { cursor: byRequest },
  WebSearch: { cursor: byRequest },
  'WebSearch by the gateway': { cursor: byRequest },
  cancel: { cursor: 'an endless answer is no step of its simulator' },
  'a conversation that is too long': { cursor: byRequest },
  'an image that the model does not take': { anthropic: 'its models take images', cursor: blindly },
  'a session of 20 turns, and the prompt cache': {
    openai: 'its simulator counts no cache',
    cursor: 'its simulator counts no cache',
  },
}
