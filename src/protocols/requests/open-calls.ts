// The calls of the last answer that results may belong to. Results may come without an id, in some dialects without a name too, and both
// may repeat. Finding a call takes constant time, however many there are.

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
  #all: Line = { calls: [], at: 0 }

  clear(): void {
    this.#byId.clear()
    this.#byName.clear()
    this.#all = { calls: [], at: 0 }
  }

  add(callId: string, name: string): void {
    const call = { callId, isAnswered: false }
    lineOf(this.#byId, callId).calls.push(call)
    lineOf(this.#byName, name).calls.push(call)
    this.#all.calls.push(call)
  }

  /**
   * The id of the call that a result belongs to: by its id, else the first open one of this name, or of any if the result says neither.
   * Undefined if there is none.
   */
  answer(id: string | undefined, name: string | undefined): string | undefined {
    const own = id === undefined ? undefined : this.#byId.get(id)
    const call = firstOpen(own) ?? own?.calls[0] ?? firstOpen(this.#lineFor(id, name))
    if (call) call.isAnswered = true
    return call?.callId
  }

  #lineFor(id: string | undefined, name: string | undefined): Line | undefined {
    if (name !== undefined) return this.#byName.get(name)
    return id === undefined ? this.#all : undefined
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
