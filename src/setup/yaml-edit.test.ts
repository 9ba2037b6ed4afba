import { describe, expect, it } from 'vitest'
import { CannotEdit } from './plan.ts'
import { addYamlItem } from './yaml-edit.ts'

const fields = [
  ['name', 'Ours: m/1'],
  ['model', 'm/1'],
  ['roles', ['chat', 'edit']],
] as const
const add = (text: string) => addYamlItem(text, 'models', fields)
const item = (indent: string) =>
  ['- name: "Ours: m/1"', '  model: m/1', '  roles:', '    - chat', '    - edit']
    .map((line) => `${indent}${line}\n`)
    .join('')

describe('addYamlItem', () => {
  it('adds a missing list', () => {
    expect(add('name: x\n')).toBe(`name: x\nmodels:\n${item('  ')}`)
    expect(add('name: x')).toBe(`name: x\nmodels:\n${item('  ')}`)
  })

  it('adds to the beginning of the list, in its indentation', () => {
    const text = 'name: x\nmodels: # mine\n  - name: a # b\n    model: c\n\n# rules\nrules:\n  - y\n'
    expect(add(text)).toBe(text.replace('# mine\n', `# mine\n${item('  ')}`))
    expect(add('models:\n- name: a\nrules: []\n')).toBe(`models:\n${item('')}- name: a\nrules: []\n`)
    expect(add('models:\n')).toBe(`models:\n${item('  ')}`)
  })

  it('leaves a text block whole', () => {
    const text = 'models:\n  - name: a\n    prompt: |\n      say\n      # not a comment\nrules: []\n'
    expect(add(text)).toBe(text.replace('models:\n', `models:\n${item('  ')}`))
  })

  it('skips brackets that are closed on their line', () => {
    const text =
      'rules: [{ a: [b] }]\nmodels:\n  - name: a\n    roles: [chat, edit] # both\n    note: see [1\n'
    expect(add(text)).toBe(text.replace('models:\n', `models:\n${item('  ')}`))
  })

  it('changes no other line, whatever its line end', () => {
    const text = 'name: x\r\nmodels:\n  - name: a\r\nrules: []\nlast: 1'
    expect(add(text)).toBe(text.replace('  - name', `${item('  ').replaceAll('\n', '\r\n')}  - name`))
    expect(add('models:\n  - name: a')).toBe(`models:\n${item('  ')}  - name: a`)
  })

  it.each(['12345678', '1e3', '2024-01-01', '0x1f', 'n', 'Yes', 'a: b', 'a #b', ''])(
    'writes %j so that it is read back as text',
    (text) => {
      expect(addYamlItem('', 'l', [['key', text]])).toBe(`l:\n  - key: ${JSON.stringify(text)}\n`)
    },
  )

  it('changes nothing the second time', () => {
    expect(add(add('models:\n  - name: a\n'))).toBe(add('models:\n  - name: a\n'))
  })

  it.each([
    ['models: []\n', 'not a list with an item on each line'],
    ['models: [{ name: a }]\n', 'not a list'],
    ['models:\n  a: b\n', 'not a list'],
    ['models:\n  -\n    name: a\n', 'not a list'],
    ['models:\n  - name: "Ours: m/1"\n    model: other\n', 'is there already'],
    ['models:\n  - name: [\n', 'line 2'],
    ['rules: {\nmodels:\n  - name: a\n', 'line 1'],
    ['models:\n  - { name: a, roles: [chat],\n    model: b }\n', 'line 2'],
    ['models:\n  - name: a\n    prompt: |+\n      b\n\nrules: []\n', 'line 3'],
    ['a: 1\na: 2\n', 'line 2'],
    ['---\na: 1\n', 'line 1'],
    ['{ "models": [] }\n', 'line 1'],
    ['a:\n\t- b\n', 'line 2'],
    ['just text\n', 'line 1'],
    ['&x a: 1\n', 'line 1'],
    ['"models":\n  - name: a\n', 'line 1'],
  ])('refuses %j', (text, reason) => {
    expect(() => add(text)).toThrow(CannotEdit)
    expect(() => add(text)).toThrow(reason)
  })
})
