// The address of the page after `#`: the opened turn, the one it is compared with, the filter. Kept for a reload and the back button.

import { useEffect, useState } from 'preact/hooks'

export interface Address {
  turn?: string | undefined
  /** The turn that the opened one is compared with. */
  versus?: string | undefined
  filter: string
  /** Parts that belong to others. */
  rest: readonly string[]
}

const turnPattern = /^turn_\w{1,64}$/
const longestFilter = 500

export function readAddress(hash: string): Address {
  const address: Address = { filter: '', rest: [] }
  const rest: string[] = []
  for (const part of hash.replace(/^#/, '').split('&')) {
    const [name = '', value = ''] = part.split('=')
    if (turnPattern.test(part)) address.turn = part
    else if (name === 'versus' && turnPattern.test(value)) address.versus = value
    else if (name === 'filter') address.filter = decoded(value).slice(0, longestFilter)
    else if (part !== '') rest.push(part)
  }
  return { ...address, rest }
}

export function writeAddress({ turn, versus, filter, rest }: Address): string {
  const parts = [
    turn ?? [],
    versus === undefined ? [] : `versus=${versus}`,
    filter === '' ? [] : `filter=${encodeURIComponent(filter)}`,
    ...rest,
  ].flat()
  return parts.length === 0 ? '' : `#${parts.join('&')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

export interface Place {
  address: Address
  /** `push`: the back button returns to the present place. */
  go(changes: Partial<Address>, push: boolean): void
}

export function useAddress(): Place {
  const [address, setAddress] = useState(() => readAddress(location.hash))
  useEffect(() => {
    const onChange = () => setAddress(readAddress(location.hash))
    addEventListener('hashchange', onChange)
    addEventListener('popstate', onChange)
    return () => {
      removeEventListener('hashchange', onChange)
      removeEventListener('popstate', onChange)
    }
  }, [])
  const go = (changes: Partial<Address>, push: boolean) => {
    // Not the last rendered one: keys may arrive faster.
    const next = { ...readAddress(location.hash), ...changes }
    const hash = writeAddress(next)
    if (hash !== location.hash)
      history[push ? 'pushState' : 'replaceState'](null, '', hash || location.pathname)
    setAddress(next)
  }
  return { address, go }
}
