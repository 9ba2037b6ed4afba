// Errors in Ollama's shape: a text and nothing else. Clients show an object in its place as `[object Object]`.

import type { GatewayError } from '../../core/errors.ts'

export const ollamaErrorBody = (failure: GatewayError): { error: string } => ({ error: messageOf(failure) })

export const ollamaErrorStatus = (failure: GatewayError): number => failure.status

/** Clients match these words to know that the model is missing. */
const messageOf = ({ detail, message }: GatewayError): string =>
  detail === 'model_not_found' && !message.includes('not found') ? `model not found: ${message}` : message
