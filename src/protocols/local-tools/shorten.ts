// Cuts a text to a length and marks the cut. It never splits a surrogate pair: JSON allows half a character, but many of its
// readers do not.

export const shorten = (text: string, longest: number) =>
  text.length <= longest ? text : `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`
