// `composer-2[effort=high,fast=true]`: a model with parameters in one name, which any client can send.

export interface ModelParameter {
  id: string
  value: string
}

interface ModelName {
  id: string
  parameters: ModelParameter[]
}

/** `[max=true]`: not a parameter of the model but a mode of the service, which costs more. */
export const maxParameter: ModelParameter = { id: 'max', value: 'true' }

export function parseModelName(name: string): ModelName {
  const [, id, list] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? []
  if (id === undefined || list === undefined) return { id: plainId(name), parameters: [] }
  const parameters = list.split(',').map((entry) => {
    const [parameter = '', ...value] = entry.split('=')
    return { id: parameter.trim(), value: value.join('=').trim() }
  })
  // Not a list of parameters: the service decides about the whole name.
  if (parameters.some((parameter) => parameter.id === '' || parameter.value === ''))
    return { id: name, parameters: [] }
  return { id: plainId(id), parameters }
}

export function formatModelName({ id, parameters }: ModelName): string {
  if (parameters.length === 0) return id
  return `${id}[${parameters.map((parameter) => `${parameter.id}=${parameter.value}`).join(',')}]`
}

/** Cursor's "Auto" is `default` on the wire; there is no model `auto`. */
const plainId = (id: string) => (id === 'auto' ? 'default' : id)
