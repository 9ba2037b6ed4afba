// The replacement for a secret.

export const mark = '[secret]'

/** Of the same length, so that lengths in messages and headers stay right. */
export const fillerOf = (length: number) =>
  length < mark.length ? '*'.repeat(length) : mark + '*'.repeat(length - mark.length)

export const isTakenOut = (value: string) =>
  /^(?:[A-Za-z]{1,20} )?(?:\[removed\]|\[secret\]\**|\*{1,7})?$/.test(value)
