// Parts of schemas, and texts.

export const string = (description, more = {}) => ({ type: 'string', description, ...more })
export const number = (description, more = {}) => ({ type: 'number', description, ...more })
export const integer = (description, more = {}) => ({ type: 'integer', description, ...more })
export const flag = (description) => ({ type: 'boolean', description })
export const list = (items, description, more = {}) => ({ type: 'array', items, description, ...more })
export const object = (properties, required = [], more = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
})
export const closed = (properties, required) => object(properties, required, { additionalProperties: false })
export const words = (count) => Array.from({ length: count }, (_, at) => `word${at % 17}`).join(' ')
export const code = (length) =>
  'const total = items.reduce((sum, { price }) => sum + price, 0)\n'.repeat(length / 63 + 1).slice(0, length)
