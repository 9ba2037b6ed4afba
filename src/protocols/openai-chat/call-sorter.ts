// Decides which call a streamed tool-call delta belongs to. Servers repeat ids, send every call as index 0, leave either out,
// repeat the name in every chunk (MiniMax) or change the id in every chunk (LM Studio). A delta with another name is another
// call. Arguments that could belong to either of two calls are an error: a merge would run a tool with the wrong arguments.

export interface SortedCall {
  /** The index that it came with. */
  readonly index: number | undefined
  /** The id that it came with; empty where none came. */
  readonly givenId: string
  readonly name: string
  /** Its arguments so far. */
  readonly text: string
  /** Its arguments form one object. `{}` is one where `orEmpty`: servers send it ahead of the real arguments. */
  isWhole(orEmpty: boolean): boolean
}

interface CallDelta {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly text: string
  /** Its place in the list that it came in. */
  readonly position: number
}

/** The calls that came with one index, with one id, or at all. */
interface Group<Call> {
  latest: Call
  /** There are several. */
  isShared: boolean
  /** One was followed by another before its arguments were whole. */
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

  /** The call that the delta goes on with; undefined where it begins another. Throws where that cannot be known. */
  find(delta: CallDelta): Call | undefined {
    return delta.name === '' ? this.#findUnnamed(delta) : this.#findNamed(delta)
  }

  add(call: Call): void {
    if (call.index !== undefined) this.#byIndex.set(call.index, grown(this.#byIndex.get(call.index), call))
    this.#all = grown(this.#all, call)
    if (call.givenId !== '') this.onId(call)
  }

  /** The call's id has come. */
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
    // Elements of one list that have no index are calls of their own.
    if (isOtherId || name !== known.name || (index === undefined && position > 0)) {
      // Behind a name without arguments this may be the rest of that name, or its id.
      if (isBlank(known.text)) throw this.#unclear()
      return this.#another(group)
    }
    // Servers that repeat the name repeat what it came with.
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

  /** A new call, unless the delta may be more of one that was left unfinished. */
  #another({ hasUnfinished }: Group<Call>): undefined {
    if (hasUnfinished) throw this.#unclear()
  }

  #findUnnamed({ index, id, text }: CallDelta): Call | undefined {
    const own = id === '' ? undefined : this.#byId.get(id)
    const group = this.#group(index, own)
    if (group === undefined) return undefined
    const known = group.latest
    if (isBlank(text)) return known
    // An id that no call has: servers change it from chunk to chunk. Behind whole arguments it may be another call's.
    const isSameCall = id === '' || id === known.givenId || (own === undefined && !known.isWhole(false))
    if (isSameCall && this.#isClear(group, index)) return known
    throw this.#unclear()
  }

  /** By the id where it is that of a call at this index, else by the index. */
  #group(index: number | undefined, own: Group<Call> | undefined): Group<Call> | undefined {
    if (index === undefined) return own ?? this.#all
    return own?.latest.index === index ? own : this.#byIndex.get(index)
  }

  /** More arguments can only be those of the latest in the group, or at the index if that is the same call. */
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
