// Every regular expression of what is shipped, and of the scripts, takes linear time: an attacker who picks the text cannot make
// it take long. A new one that does not fails here; rewrite it, or name it in exceptions.ts with the reason why no outside text
// of any length reaches it.

import { describe, expect, it } from 'vitest'
import { type Built, builtWhileLoading, type Found, readPatterns, sourceFiles } from './collect.ts'
import { builtOnCall, exceptions } from './exceptions.ts'
import { findAttack } from './superlinear.ts'

const files = sourceFiles(['src', 'sim', 'scripts']).map(readPatterns)
const literals = files.flatMap((file) => file.literals)
const built = files.flatMap((file) => file.built)
const exceptionFor = ({ file, source }: Found) =>
  exceptions.find((exception) => exception.file === file && source.startsWith(exception.begins))
const rowFor = ({ file, code }: Built) =>
  builtOnCall.find((row) => row.file === file && code.startsWith(row.code))

const faultsOf = (found: readonly Found[]) =>
  found.flatMap((pattern) => {
    const attack = findAttack(pattern.source, pattern.flags)
    return attack
      ? [{ pattern, told: `${pattern.place} /${pattern.source}/${pattern.flags} ${JSON.stringify(attack)}` }]
      : []
  })

const atLoad = built.filter(({ inFunction }) => !inFunction)
const loaded: Found[] = []
for (const file of new Set(atLoad.map(({ file }) => file))) loaded.push(...(await builtWhileLoading(file)))
const faults = faultsOf([...literals, ...loaded])

describe('patterns of the source take linear time', () => {
  it('as literals, and as built while their file is loaded', () => {
    expect(literals.length).toBeGreaterThan(700)
    expect(loaded.length).toBeGreaterThanOrEqual(atLoad.length)
    expect(faults.filter(({ pattern }) => !exceptionFor(pattern)).map(({ told }) => told)).toEqual([])
  })

  it('as built when a function is called', () => {
    const onCall = built.filter(({ inFunction }) => inFunction)
    expect(onCall.filter((one) => !rowFor(one)).map(({ file, code }) => `${file}: ${code}`)).toEqual([])
    for (const { samples = [] } of builtOnCall)
      for (const { source, flags } of samples)
        expect([source, findAttack(source, flags)]).toEqual([source, undefined])
  })

  it('and no exception is left that is not needed', () => {
    expect(exceptions.filter((one) => !faults.some(({ pattern }) => exceptionFor(pattern) === one))).toEqual(
      [],
    )
    expect(builtOnCall.filter((row) => !built.some((one) => rowFor(one) === row))).toEqual([])
  })
})

const superlinear: [pattern: RegExp, growth: 'polynomial' | 'exponential'][] = [
  [/a+b/, 'polynomial'],
  [/\s+$/, 'polynomial'],
  [/[^/]+$/, 'polynomial'],
  [/.+_tool_(use|result)$/, 'polynomial'],
  [/^\W*(error)?\W*$/, 'polynomial'],
  [/^(.+?):(\d+):(.*)$/, 'polynomial'],
  [/^mcp_{1,2}(.+?)_{1,2}(.+)$/, 'polynomial'],
  [/\[(!|\^)?(\]?[^\]]*)\]/g, 'polynomial'],
  [/"(?:[^"\\]|\\.)*"/g, 'polynomial'],
  [/<a>[\s\S]*?<\/a>/, 'polynomial'],
  [/a(?:[\s\S]*b)?/g, 'polynomial'],
  [/x(?=[\s\S]*y)/g, 'polynomial'],
  [/(["']).*?\1/, 'polynomial'],
  [/^(?:a{0,5000})b|a{0,5000}c/, 'polynomial'],
  [/^\s*#/gm, 'polynomial'],
  [/^a*a*b/, 'polynomial'],
  [/^\d+\w*:/y, 'polynomial'],
  [/(?<name>a|b|ab)*c/, 'exponential'],
  [/^(a+)+b/, 'exponential'],
  [/^(?:a?b?)*c/, 'exponential'],
  [/^(?:\w+\s?)+$/, 'exponential'],
  [/^(?:[\s\S]|\n)*b/, 'exponential'],
]

const linear = [
  /a+/,
  /^a+b/,
  /\ba+\b/,
  /(?<!a)a+b/,
  /(?<!\/)\/+$/,
  /^\s+|(?<!\s)\s+$/g,
  /[^\n]+\n?|\n/g,
  /\d+(?!x)/,
  /\d+(?:\.\d+)?/g,
  /^.*$/m,
  /^\s*[\s\S]*$/,
  /^\W*(?:error\W*)?$/i,
  /^(.+?):(\d+):/,
  /a{0,40}b/,
  /"[^"]*"|'[^']*'/,
  /\s+x/y,
]

describe('the judgement', () => {
  it.each(superlinear)('%s takes long', (pattern, growth) => {
    expect(findAttack(pattern.source, pattern.flags)?.growth).toBe(growth)
  })

  it.each(linear.map((pattern) => [pattern]))('%s does not', (pattern) => {
    expect(findAttack(pattern.source, pattern.flags)).toBeUndefined()
  })

  it('refuses what it cannot judge', () => {
    expect(() => findAttack('(?<=a+)b', '')).toThrow('without a bound')
  })
})
