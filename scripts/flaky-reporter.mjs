// Names the tests that passed only when they were run again: each is a race to be found.
export default class FlakyReporter {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky)
          console.log(`passed only when run again: ${module.relativeModuleId} > ${test.fullName}`)
      }
    }
  }
}
