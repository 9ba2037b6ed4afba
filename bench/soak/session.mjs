// An agent: conversations of tool turns, each through another door to another backend; some of its requests fail on purpose. The
// agent retries every failure, and every answer must be correct.
import { setTimeout as sleep } from 'node:timers/promises'
import { doors, isConflict, isDocumented, WrongAnswer } from './doors.mjs'
import { breakDelaysMs, clientFaults, cursorFaults, httpFaults } from './faults.mjs'
import { exchange, Left } from './wire.mjs'

export const models = {
  anthropic: 'anthropic/claude-demo',
  openai: 'openai/gpt-demo',
  text: 'text/text-demo',
  cursor: 'cursor/composer-2',
}

const doorNames = Object.keys(doors)

/** The n-th conversation uses the n-th pair of door and backend. */
export const pairsOf = (backends) =>
  backends.flatMap((backend) => doorNames.map((door) => ({ door, backend })))

const turnsOfPrompt = 3
const mostTries = 10
const resultPadding = 'as long as a short file is, so that there is something to carry. '.repeat(30)

/** The prompts of a conversation of `turns` tool turns: one file per turn, two in the second turn of each prompt. */
export function planOf(name, turns) {
  const prompts = []
  for (let done = 0; done < turns; done += turnsOfPrompt) {
    const steps = Array.from({ length: Math.min(turnsOfPrompt, turns - done) }, (_, at) => {
      const file = `${name}-${done + at}`
      return at === 1 ? [`${file}a.txt`, `${file}b.txt`] : [`${file}.txt`]
    })
    const text = steps.map((files) => `read ${files.join(' and ')}`).join(', then ')
    prompts.push({ text: `Please ${text}.`, steps })
  }
  return prompts
}

const contentOf = (file) => `content of ${file}`

export class Session {
  /** `shared`: url, upstreams, tally, random, faultShare, pauseMs. */
  constructor(name, shared) {
    Object.assign(this, shared, { name })
  }

  async converse(number, { door, backend }, turns) {
    const history = []
    for (const { text, steps } of planOf(`${this.name}-c${number}`, turns)) {
      history.push({ user: text })
      let marker = steps[0][0]
      for (const files of steps) {
        const answer = await this.#turn({ door, backend, history, marker, isFirst: files === steps[0] })
        const asked = answer.calls.map(({ name, input }) => `${name} ${JSON.parse(input).path}`)
        const wanted = files.map((file) => `read ${file}`)
        this.#demand(asked.join() === wanted.join(), `asked for ${asked} in place of ${wanted}`, answer)
        this.tally.calls += asked.length
        history.push({ text: answer.text, calls: answer.calls })
        const results = answer.calls.map(({ id }, at) => ({
          id,
          content: `${contentOf(files[at])}\n${resultPadding}`,
        }))
        history.push({ results })
        marker = contentOf(files[0])
      }
      const answer = await this.#turn({ door, backend, history, marker, isFirst: false })
      const missing = steps
        .flat()
        .filter((file) => !answer.text.includes(`${file} begins: ${contentOf(file)}`))
      this.#demand(answer.isOver && missing.length === 0, `an answer without ${missing}`, answer)
      history.push({ text: answer.text, calls: [] })
    }
    this.tally.conversations++
  }

  #demand(isSo, problem, answer) {
    if (!isSo) throw new WrongAnswer(`${this.name}: ${problem}: ${JSON.stringify(answer).slice(0, 600)}`)
  }

  /** Sends the request, and retries it until it is answered. */
  async #turn(turn) {
    const { tally } = this
    tally.turns++
    let fault = await this.#chooseFault(turn)
    let mayConflict = false
    for (let tries = 0; tries < mostTries; tries++) {
      await sleep(this.pauseMs * (tries + 0.5) * (0.5 + this.random()))
      const outcome = await this.#try(turn, fault?.manner)
      if (outcome.answer) return outcome.answer
      if (outcome.left) mayConflict = true
      else this.#judge(turn, outcome, { mayConflict, fault })
      // A client fault applies to one attempt; an upstream fault to as many as it is armed for.
      if (fault?.manner) fault = { name: fault.name }
    }
    throw new WrongAnswer(`${this.name}: no answer after ${mostTries} tries (${fault?.name ?? 'no fault'})`)
  }

  async #try({ door: doorName, backend, history }, manner) {
    const door = doors[doorName]
    const stream = this.random() < 0.75
    this.tally.requests++
    try {
      const body = door.body(models[backend], history, stream)
      const { status, headers, text } = await exchange(`${this.url}${door.path}`, body, manner)
      if (headers['content-type']?.startsWith('text/event-stream')) {
        const answer = door.stream(text)
        return answer.error ? { status, error: answer.error } : { answer }
      }
      const json = JSON.parse(text)
      return status === 200 ? { answer: door.whole(json) } : { status, error: door.errorOf(json) }
    } catch (thrown) {
      if (thrown instanceof Left) return { left: true }
      if (thrown instanceof WrongAnswer) throw thrown
      throw new WrongAnswer(`${this.name}, ${doorName}, ${backend}: ${thrown?.stack ?? thrown}`)
    }
  }

  #judge({ door, backend }, outcome, { mayConflict, fault }) {
    const { tally } = this
    if (mayConflict && isConflict(door, outcome)) return void tally.conflicts++
    const shown = `${door}, ${backend}, ${fault?.name ?? 'no fault'}: ${JSON.stringify(outcome)}`
    if (!isDocumented(door, outcome)) throw new WrongAnswer(`${this.name}: not a documented error: ${shown}`)
    tally.failed++
    const kind = `${outcome.error.code ?? outcome.error.type}`
    tally.errors[kind] = (tally.errors[kind] ?? 0) + 1
    if (fault) return
    // Cursor's runs share connections: a fault of one can break others.
    tally.neighbours++
    if (backend !== 'cursor') throw new WrongAnswer(`${this.name}: failed without a fault: ${shown}`)
  }

  async #chooseFault({ backend, isFirst, marker }) {
    if (this.random() >= this.faultShare) return undefined
    const { tally } = this
    tally.faulted++
    const pick = (table) => Object.keys(table)[Math.floor(this.random() * Object.keys(table).length)]
    const isClients = this.random() < 0.3
    const breaks = backend === 'cursor' && !isFirst
    const upstream = breaks ? breakDelaysMs : backend === 'cursor' ? cursorFaults : httpFaults
    const name = pick(isClients ? clientFaults : upstream)
    const shown = `${isClients ? 'client' : backend === 'cursor' ? 'cursor' : 'http'}: ${name}`
    tally.faults[shown] = (tally.faults[shown] ?? 0) + 1
    if (isClients) return { name, manner: clientFaults[name] }
    if (!breaks) await this.upstreams.call('arm', backend, name, marker)
    else await this.#breakSoon(breakDelaysMs[name], marker)
    return { name }
  }

  /** The results name the run's own prompt. */
  async #breakSoon(delayMs, marker) {
    const own = marker.slice('content of '.length).replace(/-\d+[ab]?\.txt$/, '-')
    const breaking = () => this.upstreams.call('breakRuns', own)
    if (delayMs === 0) await breaking()
    else setTimeout(() => breaking().catch(() => undefined), delayMs)
  }
}
