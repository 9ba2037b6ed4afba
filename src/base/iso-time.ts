// The time of a line, to the millisecond. Only its last digits change within a second.

let second = -1
let beginning = ''

export function isoTime(now = Date.now()): string {
  const whole = Math.floor(now / 1000)
  if (whole !== second) {
    second = whole
    beginning = new Date(whole * 1000).toISOString().slice(0, -'000Z'.length)
  }
  return `${beginning}${String(now - whole * 1000).padStart(3, '0')}Z`
}
