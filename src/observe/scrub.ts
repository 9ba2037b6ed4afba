// Secrets are taken out by value wherever text leaves the process by a side door: logs, errors, reports.

const shortest = 6

export class Scrubber {
  readonly #secrets = new Set<string>()

  add(...secrets: (string | undefined)[]): void {
    for (const secret of secrets) {
      if (secret === undefined || secret.length < shortest) continue
      this.#secrets.add(secret)
      // The same text as it looks inside JSON.
      this.#secrets.add(JSON.stringify(secret).slice(1, -1))
    }
  }

  scrub(text: string): string {
    let clean = text
    for (const secret of this.#secrets)
      if (clean.includes(secret)) clean = clean.replaceAll(secret, '[secret]')
    return clean
  }
}
