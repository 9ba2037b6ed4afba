// Lines on stderr: what is being done, how far it is, and how long it will still take.

const inWords = (seconds) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`)

export class Progress {
  #planned
  #done = 0
  #startedAt = Date.now()

  constructor(plannedSeconds) {
    this.#planned = plannedSeconds
  }

  begin() {
    this.#startedAt = Date.now()
    this.#print(`bench: this takes about ${inWords(this.#planned)}`)
  }

  onDone = (plannedSeconds) => {
    this.#done += plannedSeconds
  }

  say = (line) => {
    const share = Math.min(this.#done / this.#planned, 0.99)
    const elapsed = (Date.now() - this.#startedAt) / 1000
    // The plan is all there is to go by at first.
    const left = share < 0.05 ? this.#planned - elapsed : (elapsed / share) * (1 - share)
    const percent = `${Math.round(share * 100)} %`.padStart(5)
    this.#print(`${percent}, ${inWords(Math.max(left, 1))} left: ${line}`)
  }

  #print(line) {
    process.stderr.write(`${line}\n`)
  }
}
