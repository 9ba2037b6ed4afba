import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/depth.ts'
import { type Block, parseMarkdown } from './markdown-blocks.ts'
import { type Inline, parseInline, safeHref } from './markdown-inline.ts'
import { beginningOf, piecesOf } from './text-pieces.ts'

const text = (paragraph: string) => ({ type: 'paragraph', text: paragraph })

describe('blocks', () => {
  it.each<[string, string, unknown[]]>([
    ['paragraphs', 'One\ntwo\n\nthree', [text('One\ntwo'), text('three')]],
    ['headings', '# One #\ntext\n### Two', [{ type: 'heading', level: 1, text: 'One' }, text('text'), { type: 'heading', level: 3, text: 'Two' }]],
    ['what is no heading', '#One\n####### Two', [text('#One\n####### Two')]],
    ['code', '```ts\nconst a = `b`\n\n# no heading\n```\nafter', [{ type: 'code', language: 'ts', text: 'const a = `b`\n\n# no heading' }, text('after')]],
    ['code that is cut', '~~~\nhalf', [{ type: 'code', language: '', text: 'half' }]],
    ['code inside longer fences', '````\n```\n````', [{ type: 'code', language: '', text: '```' }]],
    ['rules', 'a\n\n* * *\n---', [text('a'), { type: 'rule' }, { type: 'rule' }]],
    ['a quote', '> a\n> > b\nc', [{ type: 'quote', blocks: [text('a'), { type: 'quote', blocks: [text('b')] }] }, text('c')]],
    ['a list', '- a\n- b\n  more\n\n  and\n- c', [{ type: 'list', isOrdered: false, start: 1, items: [[text('a')], [text('b\nmore'), text('and')], [text('c')]] }]],
    ['lists in lists', '1. a\n   - b\n   - c\n2. d', [{ type: 'list', isOrdered: true, start: 1, items: [[text('a'), { type: 'list', isOrdered: false, start: 1, items: [[text('b')], [text('c')]] }], [text('d')]] }]],
    ['two lists', '- a\n1. b', [{ type: 'list', isOrdered: false, start: 1, items: [[text('a')]] }, { type: 'list', isOrdered: true, start: 1, items: [[text('b')]] }]],
    ['a list after a text, and the end of it', 'See:\n- a\n\nEnd', [text('See:'), { type: 'list', isOrdered: false, start: 1, items: [[text('a')]] }, text('End')]],
    ['a number that is no list', 'In\n1984. He', [text('In\n1984. He')]],
    ['a table', '| a | b |\n|---|:-:|\n| 1 | x\\|y |\n| 2 |\n\nend', [{ type: 'table', head: ['a', 'b'], rows: [['1', 'x|y'], ['2', '']] }, text('end')]],
    ['what is no table', 'a | b\nc | d', [text('a | b\nc | d')]],
    ['HTML', '<script>alert(1)</script>\n<b>bold</b>', [text('<script>alert(1)</script>\n<b>bold</b>')]],
    ['line ends of Windows', 'a\r\n\r\nb', [text('a'), text('b')]],
    ['nothing', ' \n\n', []],
  ])('%s', (_name, given, blocks) => {
    expect(parseMarkdown(given)).toEqual(blocks)
  }) // biome-ignore format: a list to be read as one

  it('has few levels, however deep the text is', () => {
    const depthOf = (blocks: readonly Block[]): number =>
      1 + Math.max(0, ...blocks.map((block) => (block.type === 'quote' ? depthOf(block.blocks) : 0)))
    expect(depthOf(parseMarkdown(`${'>'.repeat(10_000)} deep`))).toBeLessThan(10)
    expect(depthOf(parseMarkdown('- '.repeat(10_000)))).toBeLessThan(10)
  })
})

const link = (href: string, ...children: Inline[]) => ({ type: 'link', href, children })

describe('in a line', () => {
  it.each<[string, string, unknown[]]>([
    ['text', 'plain', ['plain']],
    ['bold and italic', 'a **b *c* d** _e_ __f__', ['a ', { type: 'strong', children: ['b ', { type: 'emphasis', children: ['c'] }, ' d'] }, ' ', { type: 'emphasis', children: ['e'] }, ' ', { type: 'strong', children: ['f'] }]],
    ['struck out', '~~a~~ ~b~', [{ type: 'strike', children: ['a'] }, ' ~b~']],
    ['code', '`a*b*` ``c`d``', [{ type: 'code', text: 'a*b*' }, ' ', { type: 'code', text: 'c`d' }]],
    ['marks that do not close', 'a * b ** c `d', ['a * b ** c `d']],
    ['underscores in words', 'snake_case_name and 2*3*4', ['snake_case_name and 2', { type: 'emphasis', children: ['3'] }, '4']],
    ['escapes', '\\*a\\* \\n', ['*a* \\n']],
    ['a link', '[the *docs*](https://x.test/a_(b)) end', [link('https://x.test/a_(b)', 'the ', { type: 'emphasis', children: ['docs'] }), ' end']],
    ['a link with a title', '[a](https://x.test "T")', [link('https://x.test/', 'a')]],
    ['bare links', 'see https://x.test/a_b?c=1, or (http://y.test).', ['see ', link('https://x.test/a_b?c=1', 'https://x.test/a_b?c=1'), ', or (', link('http://y.test/', 'http://y.test'), ').']],
    ['other schemes stay text', '[a](javascript:alert(1)) [b](data:text/html,x) [c](//x.test) [d](/inspector/logout)', ['[', 'a', '](javascript:alert(1)) ', '[', 'b', '](data:text/html,x) ', '[', 'c', '](//x.test) ', '[', 'd', '](/inspector/logout)']],
    ['images are links', '![a](https://x.test/a.png)', ['!', link('https://x.test/a.png', 'a')]],
    ['brackets', '[a] [b](c', ['[', 'a', '] ', '[', 'b', '](c']],
  ])('%s', (_name, given, nodes) => {
    expect(parseInline(given)).toEqual(nodes)
  }) // biome-ignore format: a list to be read as one

  it('links are only http and https', () => {
    for (const address of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc',
      '\u0001https://x',
      'https://',
      'x',
    ])
      expect(safeHref(address)).toBeUndefined()
    expect(safeHref('HTTPS://X.test/\u202ea')).toBe('https://x.test/%E2%80%AEa')
  })
})

const marks = ['`', '``', '*', '**', '_', '~~', '[', ']', '](', '](https://x.test)', ')', '\\', '>', '> ', '- ', '1. ', '#', '# ', '|', '|-|', '```', '\n', '\n\n', '  ', '<b>', '!', 'a', 'word ', 'https://x.test', '\r', '\u202e', '\ud800', '😀'] // biome-ignore format: a list to be read as one
const hostile = fc.array(fc.constantFrom(...marks), { maxLength: 200 }).map((parts) => parts.join(''))

describe('any text', () => {
  const runs = { numRuns: scaled(5_000, 300) }

  it('is parsed without an error, and none of its words is lost', () => {
    fc.assert(
      fc.property(hostile, (given) => {
        const shown = parseMarkdown(given).map(textOfBlock).join(' ')
        const wordsIn = (where: string) => where.match(/[a-z]{4,}/g)?.filter((word) => word === 'word') ?? []
        // The language of a code block and the cells after a table's last column are not shown.
        if (!/```|\|/.test(given)) expect(wordsIn(shown)).toHaveLength(wordsIn(given).length)
      }),
      runs,
    )
  })

  it('in pieces is the same text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a'.repeat(3_000), '\n', 'b\n', '😀', 'c'), { maxLength: 30 }),
        (parts) => {
          const given = parts.join('')
          const pieces = piecesOf(given)
          expect(pieces.join('').replaceAll('\n', '')).toBe(given.replaceAll('\n', ''))
          for (const piece of pieces) {
            expect(piece.length).toBeLessThanOrEqual(8 * 1024 + 1)
            expect(piece.isWellFormed()).toBe(true)
          }
        },
      ),
      runs,
    )
  })

  it('has a beginning of few characters and lines', () => {
    fc.assert(
      fc.property(hostile, (given) => {
        const beginning = beginningOf(given, { characters: 50, lines: 3 })
        expect(given.startsWith(beginning)).toBe(true)
        expect(beginning.length).toBeLessThanOrEqual(60)
      }),
      runs,
    )
  })
})

function textOfBlock(block: Block): string {
  switch (block.type) {
    case 'quote':
      return block.blocks.map(textOfBlock).join(' ')
    case 'list':
      return block.items.flat().map(textOfBlock).join(' ')
    case 'table':
      return [block.head, ...block.rows].flat().join(' ')
    case 'rule':
      return ''
    case 'code':
      return block.text
    default:
      return parseInline(block.text).map(textOfInline).join('')
  }
}

const textOfInline = (node: Inline): string =>
  typeof node === 'string' ? node : 'text' in node ? node.text : node.children.map(textOfInline).join('')
