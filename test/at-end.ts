// What is to be done when a test, or a file of tests, is through. Files share their modules (vitest.config.ts), so a hook of a
// helper would be there for the first of them alone: setup.ts sets the hooks anew for each.

const ofTest: (() => unknown)[] = []
const ofFile: (() => unknown)[] = []

/** Done when the test is through, latest first. */
export const atTestEnd = (cleanup: () => unknown) => void ofTest.unshift(cleanup)

/** Done when the test file is through, latest first. */
export const atEnd = (cleanup: () => unknown) => void ofFile.unshift(cleanup)

async function done(cleanups: (() => unknown)[]): Promise<void> {
  for (const cleanup of cleanups.splice(0)) await cleanup()
}

export const endTest = () => done(ofTest)
export const endFile = () => done(ofFile)
