// The calls of the last answer that results may belong to. Results may come without an id, and both ids and names may repeat. Finding a
// call takes constant time, however many there are.

interface OpenCall {
  callId: string
  isAnswered: boolean
}

/** Calls in order; those before `at` are answered. */
interface Line {
  calls: OpenCall[]
  at: number
}

export class OpenCalls {
  readonly #byId = new Map<string, Line>()
  readonly #byName = new Map<string, Line>()

  clear(): void {
    this.#byId.clear()
    this.#byName.clear()
  }

  add(callId: string, name: string): void {
    const call = { callId, isAnswered: false }
    lineOf(this.#byId, callId).calls.push(call)
    lineOf(this.#byName, name).calls.push(call)
  }

  /** The id of the call that a result belongs to: by its id, else the first open one of this name. Undefined if there is none. */
  answer(id: string | undefined, name: string): string | undefined {
    const own = id === undefined ? undefined : this.#byId.get(id)
    const call = firstOpen(own) ?? own?.calls[0] ?? firstOpen(this.#byName.get(name))
    if (call) call.isAnswered = true
    return call?.callId
  }
}

function lineOf(lines: Map<string, Line>, key: string): Line {
  const known = lines.get(key)
  if (known) return known
  const line = { calls: [], at: 0 }
  lines.set(key, line)
  return line
}

function firstOpen(line: Line | undefined): OpenCall | undefined {
  while (line?.calls[line.at]?.isAnswered) line.at++
  return line?.calls[line.at]
}
