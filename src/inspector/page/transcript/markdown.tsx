// Markdown as elements. Texts are text nodes only; a link shows its target, and no image is loaded.

import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { type Block, parseMarkdown } from './markdown-blocks.ts'
import { type Inline, parseInline } from './markdown-inline.ts'
import { Sliced } from './sliced.tsx'
import { SlicedText } from './sliced-text.tsx'

const step = 60
const mostRows = 500

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text])
  return (
    <div class="markdown">
      <Sliced items={blocks} step={step} name="more">
        {(block) => <BlockView block={block} />}
      </Sliced>
    </div>
  )
}

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case 'paragraph':
      return <p dir="auto">{inline(block.text)}</p>
    case 'heading':
      // Its level is of the text, not of the page.
      return (
        <p dir="auto" class={`md-heading md-h${block.level}`}>
          {inline(block.text)}
        </p>
      )
    case 'code':
      return <Code language={block.language} text={block.text} />
    case 'quote':
      return <blockquote>{blocksOf(block.blocks)}</blockquote>
    case 'list':
      return <ListView block={block} />
    case 'table':
      return <TableView block={block} />
    default:
      return <hr />
  }
}

const blocksOf = (blocks: readonly Block[]) => blocks.map((block, at) => <BlockView key={at} block={block} />)

const Code = ({ language, text }: { language: string; text: string }) => (
  <div class="md-code">
    {language === '' ? null : <span class="md-language">{language}</span>}
    <SlicedText text={text} />
  </div>
)

function ListView({ block: { isOrdered, start, items } }: { block: Extract<Block, { type: 'list' }> }) {
  const shown = items.map((item, at) => (
    <li key={at} dir="auto">
      {blocksOf(item)}
    </li>
  ))
  return isOrdered ? <ol start={start}>{shown}</ol> : <ul>{shown}</ul>
}

function TableView({ block: { head, rows } }: { block: Extract<Block, { type: 'table' }> }) {
  return (
    <div class="md-table">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col" dir="auto">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostRows).map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} dir="auto">
                  {inline(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > mostRows ? (
        <p class="muted">{rows.length - mostRows} more rows; “Show as text” has them.</p>
      ) : null}
    </div>
  )
}

const inline = (text: string) => nodesOf(parseInline(text))

const nodesOf = (nodes: readonly Inline[]): ComponentChildren =>
  nodes.map((node, at) => (typeof node === 'string' ? node : <Node key={at} node={node} />))

function Node({ node }: { node: Exclude<Inline, string> }) {
  switch (node.type) {
    case 'code':
      return <code>{node.text}</code>
    case 'strong':
      return <strong>{nodesOf(node.children)}</strong>
    case 'emphasis':
      return <em>{nodesOf(node.children)}</em>
    case 'strike':
      return <s>{nodesOf(node.children)}</s>
    default:
      return <Link href={node.href}>{node.children}</Link>
  }
}

const longestTarget = 80

function Link({ href, children }: { href: string; children: readonly Inline[] }) {
  const [only] = children
  const isPlain = children.length === 1 && (only === href || `${only}/` === href)
  return (
    <>
      <a href={href} target="_blank" rel="noreferrer noopener">
        {nodesOf(children)}
      </a>
      {isPlain ? null : (
        <>
          {' '}
          <bdi class="md-target" title={href}>
            {href.length > longestTarget ? `${href.slice(0, longestTarget)}…` : href}
          </bdi>
        </>
      )}
    </>
  )
}
