// What stands where a secret was.

export const mark = '[secret]'

/** Of the same length: what counts bytes (JSON, messages, lengths in headers) stays as it is. */
export const fillerOf = (length: number) =>
  length < mark.length ? '*'.repeat(length) : mark + '*'.repeat(length - mark.length)

export const isTakenOut = (value: string) =>
  /^(?:[A-Za-z]{1,20} )?(?:\[removed\]|\[secret\]\**|\*{1,7})?$/.test(value)
