// The two that are compared, behind one interface: `prepare(schema)` gives a function that judges a value.

const ownFile = new URL('../../build/src/base/json-schema/check.js', import.meta.url)

export const loaders = {
  async ours() {
    const { SchemaChecker } = await import(ownFile)
    return (schema) => {
      const checker = new SchemaChecker(schema)
      return (value) => {
        const { problems, isComplete } = checker.judge(value)
        return problems.length > 0 ? 'does not fit' : isComplete ? 'fits' : 'not checked'
      }
    }
  },
  async ajv() {
    const { Ajv2020 } = await import('ajv/dist/2020.js')
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
    return ({ $schema: _, ...schema }) => {
      const validate = ajv.compile(schema)
      // It keeps every schema otherwise.
      ajv.removeSchema(schema)
      return (value) => (validate(value) ? 'fits' : 'does not fit')
    }
  },
}

export function cpuMicroseconds(run) {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
