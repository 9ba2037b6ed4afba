// A text of at most so many characters, with a mark where there was more. Never half of a character: JSON can carry that, but
// much of what reads JSON cannot.

export const shorten = (text: string, longest: number) =>
  text.length <= longest ? text : `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`
