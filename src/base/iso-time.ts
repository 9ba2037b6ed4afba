// ISO time stamps for log lines. The part down to the second is cached: within a second only the milliseconds change.

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
