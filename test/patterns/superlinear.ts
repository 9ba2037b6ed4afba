import { type Automaton, createAutomaton } from './automaton.ts'

export interface Attack {
  growth: 'polynomial' | 'exponential'
  prefix: string
  pump: string
  suffix: string
}

/**
 * An attack on a pattern: text of the form prefix + pump × n + suffix for which a backtracking engine takes more than linear time,
 * or undefined if there is none. Weber and Seidl's criteria: the number of ways to read a text grows exponentially if a state
 * returns to itself in two ways by one text, and as a polynomial if one text leads a state to itself, to another, and that one to itself.
 * The search for a match is a state too: it begins anew at each character, except for a sticky pattern.
 */
export const findAttack = (source: string, flags: string): Attack | undefined => {
  const automaton = createAutomaton(source, flags)
  const loops = loopEdges(automaton, flags.includes('g'))
  const components = cyclicComponents(loops)
  const found =
    exponential(automaton, loops, components) ?? polynomial(automaton, loops, components, flags.includes('g'))
  if (!found) return undefined
  const text = (path: number[]) => path.map((on) => automaton.samples[on]).join('')
  const prefix =
    found.state === automaton.start
      ? []
      : pathTo(automaton.start, found.state, (at) => edgesOf(automaton.next[at] ?? []))
  return {
    growth: found.growth,
    prefix: text(prefix ?? []),
    pump: text(found.pump),
    suffix: text(found.suffix),
  }
}

interface Found {
  growth: Attack['growth']
  state: number
  pump: number[]
  suffix: number[]
}

type Edges = number[][][]
type Step<T> = [on: number, to: T]

const edgesOf = (row: number[][]): Step<number>[] => {
  const steps: Step<number>[] = []
  for (const [on, targets] of row.entries()) for (const to of targets) steps.push([on, to])
  return steps
}

const neighboursOf = (edges: Edges): number[][] => edges.map((row) => [...new Set(row.flat())])

/** Where a match is complete before the next character, the engine goes no further round, except that a global search begins anew. */
const loopEdges = ({ next, accepts, restarts }: Automaton, again: boolean): Edges =>
  next.map((row, at) =>
    row.map((targets, on) => (accepts[at]?.[on] && !(again && restarts.has(at)) ? [] : targets)),
  )

const exponential = (automaton: Automaton, loops: Edges, components: number[]): Found | undefined => {
  for (const component of new Set(components)) {
    if (component < 0) continue
    const inside = (to: number) => components[to] === component
    const states = [...components.keys()].filter(inside)
    const suffix = failingSuffix(automaton, [component])
    const parted =
      suffix &&
      search(
        states.map((state) => [state, state, 0]),
        ([a, b, apart]) => a === b && apart === 1,
        (at) => pairSteps(loops, at, inside),
      )
    if (!parted) continue
    const [state, end] = [parted.start[0] as number, parted.end[0] as number]
    const back =
      state === end ? [] : pathTo(end, state, (at) => edgesOf(loops[at] ?? []).filter(([, to]) => inside(to)))
    return { growth: 'exponential', state, pump: [...parted.path, ...(back ?? [])], suffix }
  }
  return undefined
}

/** Two ways through a component side by side. The third number says whether they have parted: by their states, or by two edges between the same states. */
const pairSteps = (
  loops: Edges,
  [a, b, apart]: number[],
  inside: (to: number) => boolean,
): Step<number[]>[] => {
  const steps: Step<number[]>[] = []
  for (const [on, targets] of (loops[a as number] ?? []).entries()) {
    const others = (loops[b as number]?.[on] ?? []).filter(inside)
    for (const to of targets.filter(inside)) {
      const doubled = a === b && others.filter((other) => other === to).length > 1
      for (const other of others) steps.push([on, [to, other, apart || doubled || to !== other ? 1 : 0]])
    }
  }
  return steps
}

const polynomial = (
  automaton: Automaton,
  loops: Edges,
  components: number[],
  again: boolean,
): Found | undefined => {
  const cyclic = [...components.keys()].filter((state) => (components[state] as number) >= 0)
  const neighbours = neighboursOf(automaton.next)
  const reach = neighbours.map((_, from) => reachable(neighbours, from))
  for (const p of cyclic) {
    const reached = reach[p] as Set<number>
    for (const q of cyclic) {
      if (components[p] === components[q] || !reached.has(q)) continue
      const suffix = failingSuffix(automaton, again && automaton.restarts.has(p) ? [q] : [p, q])
      if (!suffix) continue
      const reaching = new Set([...reached].filter((at) => reach[at]?.has(q)))
      const pump = pathTo([p, p, q], [p, q, q], (at) =>
        tripleSteps(automaton.next, loops, components, reaching, at, p, q),
      )
      if (pump) return { growth: 'polynomial', state: p, pump, suffix }
    }
  }
  return undefined
}

const tripleSteps = (
  next: Edges,
  loops: Edges,
  components: number[],
  reaching: Set<number>,
  [a, b, c]: number[],
  p: number,
  q: number,
): Step<number[]>[] => {
  const steps: Step<number[]>[] = []
  for (const [on, targets] of (loops[a as number] ?? []).entries()) {
    const firsts = targets.filter((to) => components[to] === components[p])
    if (!firsts.length) continue
    const thirds = (loops[c as number]?.[on] ?? []).filter((to) => components[to] === components[q])
    if (!thirds.length) continue
    for (const second of new Set(next[b as number]?.[on]))
      if (reaching.has(second))
        for (const first of firsts) for (const third of thirds) steps.push([on, [first, second, third]])
  }
  return steps
}

const reachable = (neighbours: number[][], from: number): Set<number> => {
  const seen = new Set([from])
  for (const at of seen) for (const to of neighbours[at] ?? []) seen.add(to)
  return seen
}

/** Text after which none of the states leads to a match, so that the engine tries all its ways. */
const failingSuffix = ({ next, accepts, samples }: Automaton, states: number[]): number[] | undefined => {
  const end = samples.length
  const steps = (set: number[]): Step<number[]>[] => {
    const live: Step<number[]>[] = set.some((at) => accepts[at]?.[end]) ? [] : [[end, [-1]]]
    for (let on = 0; on < end; on++) {
      if (set.some((at) => accepts[at]?.[on])) continue
      live.push([on, [...new Set(set.flatMap((at) => next[at]?.[on] ?? []))].sort((a, b) => a - b)])
    }
    return live
  }
  return pathTo(states, [-1], (at) => (at[0] === -1 ? [] : steps(at)))?.slice(0, -1)
}

const largestSearch = 300_000

const pathTo = <T>(start: T, goal: T, steps: (at: T) => Step<T>[]): number[] | undefined =>
  search([start], (at) => String(at) === String(goal), steps)?.path

/** The shortest way from one of the starts to a goal, as the classes that are read on it. At least one step long. */
const search = <T>(
  starts: T[],
  isGoal: (at: T) => boolean,
  steps: (at: T) => Step<T>[],
): { start: T; end: T; path: number[] } | undefined => {
  type Place = { at: T; from?: Place; on: number }
  const queue: Place[] = starts.map((at) => ({ at, on: -1 }))
  const seen = new Set<string>()
  for (const place of queue) {
    for (const [on, to] of steps(place.at)) {
      const name = String(to)
      if (seen.has(name)) continue
      seen.add(name)
      const reached: Place = { at: to, from: place, on }
      if (isGoal(to)) return { end: to, ...trace(reached) }
      if (seen.size > largestSearch) throw new Error('the pattern is too large to be judged')
      queue.push(reached)
    }
  }
  return undefined
}

const trace = <T>(goal: {
  at: T
  from?: { at: T; on: number }
  on: number
}): { start: T; path: number[] } => {
  const path: number[] = []
  let place: typeof goal = goal
  for (; place.from; place = place.from) path.unshift(place.on)
  return { start: place.at, path }
}

/** For each state the number of its strongly connected component if that has a cycle, else -1. */
const cyclicComponents = (loops: Edges): number[] => {
  const targets = neighboursOf(loops)
  const component = loops.map(() => -1)
  const reach = targets.map((_, from) => {
    const seen = new Set<number>(targets[from])
    for (const at of seen) for (const to of targets[at] ?? []) seen.add(to)
    return seen
  })
  for (const [at, seen] of reach.entries()) {
    if (!seen.has(at) || component[at] !== -1) continue
    for (const other of seen) if (reach[other]?.has(at)) component[other] = at
  }
  return component
}
