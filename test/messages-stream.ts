// Reads a Messages stream by code of its own, and says what a strict client would stumble over: blocks that are numbered and
// closed, deltas of the open block's kind, one end, and nothing behind it.

interface StreamEvent {
  type: string
  index?: number
  message?: { content: unknown[]; stop_reason: unknown }
  content_block?: { type: string }
  delta?: { type?: string; partial_json?: string; stop_reason?: string | null }
  usage?: { output_tokens?: number }
}

const deltasOf: Record<string, readonly string[]> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
}

export async function messagesStreamProblems(response: Response): Promise<string[]> {
  const checker = new MessagesChecker()
  for (const frame of (await response.text()).split('\n\n')) checker.read(frame)
  checker.end()
  return checker.problems
}

class MessagesChecker {
  readonly problems: string[] = []
  #begun = false
  #blocks = 0
  #open: { type: string; json: string } | undefined
  #calls = 0
  #brokenCall = false
  #stop: string | undefined
  #last = ''

  read(frame: string): void {
    const lines = frame.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
    if (lines.length === 0) return
    const [name = '', data = '', ...more] = lines
    if (!name.startsWith('event: ') || !data.startsWith('data: ') || more.length > 0)
      return this.#wrong(`a frame of another shape: ${frame}`)
    const event = JSON.parse(data.slice('data: '.length)) as StreamEvent
    if (name !== `event: ${event.type}`) this.#wrong(`${name} holds ${event.type}`)
    if (this.#last === 'message_stop' || this.#last === 'error') this.#wrong(`${event.type} behind the end`)
    if (event.type === 'ping') return
    this.#last = event.type
    this.#take(event)
  }

  end(): void {
    if (this.#last === 'error') return
    if (this.#last !== 'message_stop') this.#wrong(`the last event is ${this.#last}`)
    if (this.#stop === 'tool_use' && this.#calls === 0) this.#wrong('it stops for calls that are not there')
    if (this.#stop === 'end_turn' && this.#calls > 0) this.#wrong('it has calls and does not stop for them')
    if (this.#brokenCall && this.#stop !== 'max_tokens') this.#wrong('arguments that are no JSON')
  }

  #take(event: StreamEvent): void {
    const { type } = event
    if (type !== 'error' && this.#begun === (type === 'message_start')) this.#wrong(`${type} out of place`)
    if (this.#stop !== undefined && type !== 'message_stop' && type !== 'error')
      this.#wrong(`${type} behind the reason`)
    if (type === 'message_start') this.#start(event)
    else if (type === 'content_block_start') this.#startBlock(event)
    else if (type === 'content_block_delta') this.#delta(event)
    else if (type === 'content_block_stop') this.#stopBlock(event)
    else if (type === 'message_delta') this.#reason(event)
    else if (type === 'message_stop' && this.#stop === undefined) this.#wrong('an end without a reason')
    else if (type !== 'message_stop' && type !== 'error') this.#wrong(`an event of the kind ${type}`)
  }

  #start({ message }: StreamEvent): void {
    this.#begun = true
    if (message?.content.length !== 0 || message.stop_reason !== null) this.#wrong('it begins with an end')
  }

  #startBlock({ index, content_block: block }: StreamEvent): void {
    if (this.#open) this.#wrong(`block ${index} begins in another`)
    if (index !== this.#blocks) this.#wrong(`block ${index} in place of ${this.#blocks}`)
    this.#open = { type: block?.type ?? '', json: '' }
    if (block?.type === 'tool_use') this.#calls++
  }

  #delta({ index, delta }: StreamEvent): void {
    if (!this.#open || index !== this.#blocks)
      return this.#wrong(`a delta of block ${index}, which is not open`)
    // Blocks of other kinds are the service's own.
    if (deltasOf[this.#open.type]?.includes(delta?.type ?? '') === false)
      this.#wrong(`${delta?.type} in a block of the kind ${this.#open.type}`)
    this.#open.json += delta?.partial_json ?? ''
  }

  #stopBlock({ index }: StreamEvent): void {
    if (!this.#open || index !== this.#blocks) this.#wrong(`block ${index} ends and is not open`)
    if (this.#open?.type === 'tool_use' && !isObject(this.#open.json)) this.#brokenCall = true
    this.#open = undefined
    this.#blocks++
  }

  #reason({ delta, usage }: StreamEvent): void {
    if (this.#open) this.#wrong('a reason inside a block')
    if (typeof delta?.stop_reason !== 'string') this.#wrong('message_delta without a reason')
    if (typeof usage?.output_tokens !== 'number') this.#wrong('message_delta without what it took')
    this.#stop = delta?.stop_reason ?? ''
  }

  #wrong(problem: string): void {
    this.problems.push(problem)
  }
}

function isObject(json: string): boolean {
  try {
    return typeof JSON.parse(json === '' ? '{}' : json) === 'object'
  } catch {
    return false
  }
}
