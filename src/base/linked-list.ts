// A doubly linked list, for members that come and go with each request. Not a Set or a Map: theirs move to a new table every few
// changes, and the old table refers to the new one. Once V8 has moved a table to its old generation, all later tables survive with
// their members, dead or not, until that generation is collected. An old link refers to nothing.

export class Link<Value> {
  readonly value: Value
  /** Undefined while the link is in no list. */
  list: LinkedList<Value> | undefined
  previous: Link<Value> | undefined
  next: Link<Value> | undefined

  constructor(value: Value) {
    this.value = value
  }

  /** Returns whether the link was in a list. */
  remove(): boolean {
    if (!this.list) return false
    this.list.remove(this)
    return true
  }
}

export class LinkedList<Value> {
  #first: Link<Value> | undefined
  #last: Link<Value> | undefined

  get first(): Link<Value> | undefined {
    return this.#first
  }

  /** Adds a link at the end, which must be in no list. */
  add(link: Link<Value>): void {
    link.list = this
    link.previous = this.#last
    if (this.#last) this.#last.next = link
    else this.#first = link
    this.#last = link
  }

  remove(link: Link<Value>): void {
    const { previous, next } = link
    if (previous) previous.next = next
    else this.#first = next
    if (next) next.previous = previous
    else this.#last = previous
    link.list = undefined
    link.previous = undefined
    link.next = undefined
  }

  /** In order. The caller may remove the value that it gets, and no other. */
  *[Symbol.iterator](): Generator<Value> {
    for (let link = this.#first; link; ) {
      const { next, value } = link
      yield value
      link = next
    }
  }
}
