// `dragoman models`: lists the models of all backends, with their aliases and sizes.

import { visibleLine } from '../base/visible-text.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import { createGateway } from '../gateway.ts'
import { err, out, outJson } from '../process/output.ts'
import { listedModels } from '../server/listed-models.ts'

export async function models(flags: { config?: string; json?: boolean }): Promise<void> {
  const environment = readEnvironment()
  const { config, secrets } = loadConfig(flags.config, environment)
  config.log.level = 'silent'
  const gateway = await createGateway({ config, keys: [], secrets, connect: environment })
  try {
    const found = await listedModels(gateway.catalog)
    const failed = (await gateway.catalog.listings()).flatMap(({ backendName, listing }) =>
      listing.error ? [{ backend: backendName, error: gateway.scrub(listing.error.message) }] : [],
    )
    if (flags.json) outJson({ models: found, failed })
    else
      for (const model of found)
        out(`${visibleLine(`${model.id}${aliasOf(config.models[model.id])}`)}${sizes(model)}\n`)
    if (!flags.json)
      for (const { backend, error } of failed)
        err(`${visibleLine(`${backend}: models could not be listed: ${error}`)}\n`)
    if (failed.length > 0 && found.length === 0) process.exitCode = 1
  } finally {
    await gateway.close()
  }
}

const aliasOf = (target: string | string[] | undefined) =>
  target === undefined ? '' : ` → ${[target].flat().join(', else ')}`

function sizes({ contextTokens, outputTokens }: { contextTokens?: number; outputTokens?: number }): string {
  const parts = [
    contextTokens && `context ${contextTokens}`,
    outputTokens && `output ${outputTokens}`,
  ].filter(Boolean)
  return parts.length > 0 ? `  (${parts.join(', ')})` : ''
}
