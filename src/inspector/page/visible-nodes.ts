// Makes bidi marks and control characters visible in every text: they could change how it reads.

import { Fragment, options } from 'preact'
import { visible } from '../../base/visible-text.ts'

function visibleChild(child: unknown): unknown {
  if (typeof child === 'string') return visible(child)
  return Array.isArray(child) ? child.map(visibleChild) : child
}

/** Must run before the first render. */
export function showHiddenCharacters(): void {
  const before = options.vnode
  options.vnode = (node) => {
    const props = node.props as Record<string, unknown>
    if (typeof node.type === 'string' || node.type === Fragment) {
      if (props.children !== undefined) props.children = visibleChild(props.children)
      if (props.title !== undefined) props.title = visibleChild(props.title)
    }
    before?.(node)
  }
}
