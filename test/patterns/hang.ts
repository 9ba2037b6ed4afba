import { createContext, Script } from 'node:vm'

const script = new Script('run()')

/** Stops what takes long. What is linear is a hundred times quicker than that on any machine, what is not takes minutes. */
export function hangs(run: () => unknown, timeout: number): boolean {
  const quietly = () => {
    try {
      run()
    } catch (error) {
      if (error instanceof RangeError) throw error
    }
  }
  try {
    script.runInContext(createContext({ run: quietly }), { timeout })
    return false
  } catch (error) {
    // An error of the other context is no Error of this one.
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true
    throw error
  }
}
