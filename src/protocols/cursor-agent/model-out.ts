// The model of a run: its name, its parameters, and max mode.

import type { ReasoningEffort, TurnRequest } from '../../core/request.ts'
import { type ModelParameter, maxParameter, parseModelName } from './model-name.ts'
import type { Note } from './parts-out.ts'

/** What the model list knows. */
export interface ModelOptions {
  /** The model's own name, for an alias. */
  resolveModel(id: string): string
  /** The model's parameter for this effort; undefined if none is listed. */
  effortParameter(id: string, effort: ReasoningEffort): ModelParameter | undefined
  /** The listed parameters of a model; undefined if the list has none for any model. */
  parametersOf(id: string): readonly string[] | undefined
  /** The service refuses the model without max mode. */
  needsMaxMode(id: string, parameters: readonly ModelParameter[]): boolean
  note: Note
}

export function modelFields(request: TurnRequest, options: ModelOptions) {
  const { resolveModel, effortParameter, note } = options
  const named = parseModelName(request.model)
  const modelId = resolveModel(named.id)
  const known = options.parametersOf(modelId)
  const asked = known?.includes(maxParameter.id) ? undefined : named.parameters.find(isMax)
  const parameters = named.parameters.filter((parameter) => parameter !== asked)
  const unknown = parameters.filter(({ id }) => known !== undefined && !known.includes(id))
  if (unknown.length > 0)
    note(`not among the listed parameters of ${modelId}: ${unknown.map(({ id }) => id).join(', ')}`)
  const effort = request.reasoning?.effort
  if (effort !== undefined && !parameters.some(({ id }) => id === 'effort')) {
    const parameter = effortParameter(modelId, effort)
    if (parameter) parameters.push(parameter)
    else note(`reasoning effort was left out: ${modelId} is not known to have a setting for "${effort}"`)
  }
  const maxMode = asked ? asked.value === maxParameter.value : options.needsMaxMode(modelId, parameters)
  if (maxMode)
    note(
      `max mode is on${asked ? '' : `, ${modelId} is not to be had without it`}: the service bills it higher`,
    )
  // Older servers read `modelDetails`, newer ones `requestedModel`.
  return {
    modelDetails: { modelId, displayModelId: modelId, ...(maxMode ? { maxMode } : {}) },
    requestedModel: { modelId, parameters, ...(maxMode ? { maxMode } : {}) },
    // The service then names the model that it chose.
    ...(isRouter(modelId) ? { clientSupportsRoutedModelUpdate: true } : {}),
  }
}

const isMax = ({ id }: ModelParameter) => id === maxParameter.id

/** Names for a model that the service chooses. */
const isRouter = (modelId: string) => modelId === 'default' || modelId.startsWith('auto')
