// `composer-2[effort=high,fast=true]`: a model with parameters, as one name that fits anywhere a model can be named.

export interface ModelParameter {
  id: string
  value: string
}

interface ModelName {
  id: string
  parameters: ModelParameter[]
}

/** `[max=true]`: no parameter of the model's, but a mode of the service's, which is dearer. */
export const maxParameter: ModelParameter = { id: 'max', value: 'true' }

export function parseModelName(name: string): ModelName {
  const [, id, list] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? []
  if (id === undefined || list === undefined) return { id: plainId(name), parameters: [] }
  const parameters = list.split(',').map((entry) => {
    const [parameter = '', ...value] = entry.split('=')
    return { id: parameter.trim(), value: value.join('=').trim() }
  })
  // What is no list of parameters is a name that the service has to judge.
  if (parameters.some((parameter) => parameter.id === '' || parameter.value === ''))
    return { id: name, parameters: [] }
  return { id: plainId(id), parameters }
}

export function formatModelName({ id, parameters }: ModelName): string {
  if (parameters.length === 0) return id
  return `${id}[${parameters.map((parameter) => `${parameter.id}=${parameter.value}`).join(',')}]`
}

/** What Cursor shows as "Auto" is `default` on the wire; `auto` is no model. */
const plainId = (id: string) => (id === 'auto' ? 'default' : id)
