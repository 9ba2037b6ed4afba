// What `init` says at its end, on each system.

import { expect, it } from 'vitest'
import { systems } from '../../src/base/platform/system.ts'
import { nextSteps, nothingFound, type Place, setVariable } from '../../src/cli/init-words.ts'
import { ownShell } from '../../src/cli/setup-facts.ts'

const places: [string, Place, string][] = [
  ['Linux', { system: 'linux', shell: 'sh' }, 'export OPENAI_API_KEY=YOUR-KEY'],
  ['macOS', { system: 'macos', shell: 'sh' }, 'export OPENAI_API_KEY=YOUR-KEY'],
  ['fish', { system: 'linux', shell: 'fish' }, 'set -gx OPENAI_API_KEY YOUR-KEY'],
  ['Windows', { system: 'windows', shell: 'powershell' }, "$env:OPENAI_API_KEY = 'YOUR-KEY'"],
  ['Git Bash', { system: 'windows', shell: 'sh' }, 'export OPENAI_API_KEY=YOUR-KEY'],
]

it.each(places)('%s: a variable is set as its shell does', (_, place, line) => {
  expect(setVariable('OPENAI_API_KEY', place)).toBe(line)
  const [before = ''] = line.split('OPENAI_API_KEY')
  expect(nothingFound(place)).toContain(`in its variable:  ${before}ANTHROPIC_API_KEY`)
})

it.each(places)('%s: launch is named where it is offered', (_, place) => {
  const hasLaunch = place.system !== 'windows'
  for (const text of [
    nextSteps(['claude-code', 'codex'], '', place),
    nextSteps([], '', place),
    nothingFound(place),
  ])
    expect(text.includes('dragoman launch')).toBe(hasLaunch)
  for (const installed of [['claude-code'], []] as const)
    expect(nextSteps(installed, ' --config x', place)).toContain(
      'dragoman serve --config x, dragoman setup CLIENT --config x\n',
    )
})

it.each(systems)('%s: the shell is found', (system) => {
  expect(ownShell(undefined, system)).toBe(system === 'windows' ? 'powershell' : 'sh')
  expect(ownShell('/usr/bin/fish', system)).toBe('fish')
  expect(ownShell('/usr/bin/bash', system)).toBe('sh')
})
