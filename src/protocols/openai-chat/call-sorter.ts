// Decides which call a streamed tool-call delta belongs to. Servers repeat ids, send every call as index 0, omit the id or the
// index, repeat the name in every chunk (MiniMax) or change the id in every chunk (LM Studio). A delta with another name is another
// call. Arguments that could belong to two calls are an error: a wrong merge would run a tool with the wrong arguments.

export interface SortedCall {
  /** The server's index. */
  readonly index: number | undefined
  /** The server's id; empty if it sent none. */
  readonly givenId: string
  readonly name: string
  /** The arguments so far. */
  readonly text: string
  /** The arguments form one object. `{}` counts only with `orEmpty`: servers send it before the real arguments. */
  isWhole(orEmpty: boolean): boolean
}

interface CallDelta {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly text: string
  /** The position in its list of deltas. */
  readonly position: number
}

/** All calls with the same index, all with the same id, or all calls. */
interface Group<Call> {
  latest: Call
  /** The group has more than one call. */
  isShared: boolean
  /** A new call began before the arguments of the previous one were whole. */
  hasUnfinished: boolean
}

export class CallSorter<Call extends SortedCall> {
  readonly #byIndex = new Map<number, Group<Call>>()
  readonly #byId = new Map<string, Group<Call>>()
  #all: Group<Call> | undefined
  readonly #unclear: () => Error

  constructor(unclear: () => Error) {
    this.#unclear = unclear
  }

  /** The call that the delta continues; undefined if it begins a new call. Throws if both are possible. */
  find(delta: CallDelta): Call | undefined {
    return delta.name === '' ? this.#findUnnamed(delta) : this.#findNamed(delta)
  }

  add(call: Call): void {
    if (call.index !== undefined) this.#byIndex.set(call.index, grown(this.#byIndex.get(call.index), call))
    this.#all = grown(this.#all, call)
    if (call.givenId !== '') this.onId(call)
  }

  /** A call with this index was added. */
  hasIndex(index: number): boolean {
    return this.#byIndex.has(index)
  }

  /** The call received its id after it was added. */
  onId(call: Call): void {
    this.#byId.set(call.givenId, grown(this.#byId.get(call.givenId), call))
  }

  #findNamed({ index, id, name, text, position }: CallDelta): Call | undefined {
    const own = id === '' ? undefined : this.#byId.get(id)
    const group = index === undefined && id !== '' ? own : this.#group(index, own)
    if (group === undefined) return undefined
    const known = group.latest
    const isOtherId = id !== '' && id !== known.givenId
    if (isOtherId && known.givenId !== '') return undefined
    if (known.name === '') return known
    // Elements of one list without an index are separate calls.
    if (isOtherId || name !== known.name || (index === undefined && position > 0)) {
      // The known call has a name but no arguments: this delta may be the rest of its name, or its id.
      if (isBlank(known.text)) throw this.#unclear()
      return this.#another(group)
    }
    // Servers that repeat the name also repeat the index and the id.
    const isRepeated = index === known.index && (index !== undefined || id === known.givenId)
    if (known.isWhole(true)) {
      const isNothingNew = isBlank(text)
        ? known === this.#all?.latest
        : text === known.text && id !== '' && index !== undefined
      return isRepeated && isNothingNew ? known : this.#another(group)
    }
    if (isRepeated && (isBlank(text) || this.#isClear(group, index))) return known
    throw this.#unclear()
  }

  /** A new call, unless the delta could continue an unfinished one. */
  #another({ hasUnfinished }: Group<Call>): undefined {
    if (hasUnfinished) throw this.#unclear()
  }

  #findUnnamed({ index, id, text }: CallDelta): Call | undefined {
    const own = id === '' ? undefined : this.#byId.get(id)
    const group = this.#group(index, own)
    if (group === undefined) return undefined
    const known = group.latest
    if (isBlank(text)) return known
    // An unknown id: servers change it from chunk to chunk. After whole arguments it may belong to another call.
    const isSameCall = id === '' || id === known.givenId || (own === undefined && !known.isWhole(false))
    if (isSameCall && this.#isClear(group, index)) return known
    throw this.#unclear()
  }

  /** By the id if that call has this index, else by the index. */
  #group(index: number | undefined, own: Group<Call> | undefined): Group<Call> | undefined {
    if (index === undefined) return own ?? this.#all
    return own?.latest.index === index ? own : this.#byIndex.get(index)
  }

  /** Further arguments can only belong to the latest call of the group, or of the index if that is the same call. */
  #isClear(group: Group<Call>, index: number | undefined): boolean {
    if (onlyLatest(group)) return true
    const place = index === undefined ? undefined : this.#byIndex.get(index)
    return place !== undefined && place.latest === group.latest && onlyLatest(place)
  }
}

const isBlank = (text: string) => text.trim() === ''

function grown<Call extends SortedCall>(group: Group<Call> | undefined, call: Call): Group<Call> {
  if (group === undefined) return { latest: call, isShared: false, hasUnfinished: false }
  group.hasUnfinished ||= !group.latest.isWhole(true)
  group.isShared = true
  group.latest = call
  return group
}

const onlyLatest = ({ latest, isShared, hasUnfinished }: Group<SortedCall>) =>
  !isShared || (!hasUnfinished && !latest.isWhole(false))
