import { curlCommand } from '../../base/curl.ts'
import type { Answer, Ask, DialectClient, Form } from '../clients/answer.ts'
import { type Reply, send } from '../clients/http.ts'
import type { Wire } from './case.ts'
import type { Target } from './target.ts'
import type { Upstream } from './upstream/server.ts'

/** The gateway under test, its model and its upstream. */
export interface Judged {
  target: Target
  /** `{case}` becomes the name of the case. */
  model: string
  upstream: Upstream | undefined
}

/** Sends the requests of one case; keeps the last one as a curl command. */
export class Wiring {
  readonly door: DialectClient
  readonly mark: string
  readonly model: string
  readonly #target: Target
  readonly #signal: AbortSignal | undefined
  curl = ''

  constructor(
    { target, model, upstream, signal }: Judged & { signal?: AbortSignal },
    door: DialectClient,
    run: string,
  ) {
    this.door = door
    this.#target = target
    this.#signal = signal
    this.mark = upstream === undefined ? '' : `(conform-${run})`
    this.model = model.replaceAll('{case}', run)
  }

  async ask(
    ask: Partial<Ask> & { form: Form },
    onText?: (soFar: string) => boolean | undefined,
  ): Promise<Answer> {
    const said = ask.messages ?? [{ role: 'user' as const, text: 'Say hello.' }]
    const body = this.door.body({ ...ask, model: this.model, messages: this.#marked(said) })
    const reply = await this.send(
      { form: ask.form, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
      onText,
    )
    return this.door.read(reply, ask.form)
  }

  #marked(said: Ask['messages']): Ask['messages'] {
    const has = said.some((entry) => JSON.stringify(entry).includes('(conform-'))
    if (has || this.mark === '') return said
    const first = said.findIndex(({ role }) => role === 'user')
    return said.map((entry, at) =>
      at === first && entry.role === 'user' ? { ...entry, text: `${entry.text} ${this.mark}` } : entry,
    )
  }

  send(
    { method = 'POST', path, model = this.model, form, body, headers = {} }: Wire & { form: Form },
    onText?: (soFar: string) => boolean | undefined,
  ): Promise<Reply> {
    const { base, key, timeoutMs, headers: extra } = this.#target
    const own = key === undefined ? {} : this.door.keyHeaders(key)
    const wire = {
      method,
      url: path === undefined ? this.door.url(base, { model, form }) : base + path,
      headers: { ...this.door.headers, ...own, ...extra, ...headers },
      ...(body === undefined ? {} : { body }),
    }
    this.curl = curlCommand(wire, {
      maxBodyLength: 20_000,
      ...(key === undefined ? {} : { secret: { text: key, variable: 'KEY' } }),
    })
    const signal = this.#signal ? { signal: this.#signal } : {}
    return send({ ...wire, timeoutMs, ...signal, ...(onText ? { onText } : {}) })
  }
}
