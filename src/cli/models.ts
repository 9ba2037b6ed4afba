// `dragoman models`: lists the models of all backends, with their aliases, sizes, tools and prices. On a terminal as a table.

import { visibleLine } from '../base/visible-text.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import { type AliasSetting, aliasWords, modelsOfAlias } from '../config/routes.ts'
import type { Config } from '../config/schema.ts'
import { createGateway } from '../gateway.ts'
import { Prices } from '../observe/prices.ts'
import { err, out, outJson, outLine } from '../process/output.ts'
import { withProgress } from '../process/progress.ts'
import { listedModels } from '../server/listed-models.ts'
import { listingReason } from '../server/listing-reason.ts'
import { type ModelFacts, modelTable } from './models-table.ts'

type Listed = Awaited<ReturnType<typeof listedModels>>[number]

export async function models(flags: { config?: string; json?: boolean }): Promise<void> {
  const environment = readEnvironment()
  const { config, secrets } = loadConfig(flags.config, environment)
  config.log.level = 'silent'
  const gateway = await createGateway({ config, keys: [], secrets, connect: environment })
  try {
    const listings = await withProgress('asking the backends', gateway.catalog.listings())
    const found = (await listedModels(gateway.catalog)).map((model) => withFacts(model, config))
    const failed = listings.flatMap(({ backendName, listing }) =>
      listing.error
        ? [{ backend: backendName, error: gateway.scrub(listingReason(backendName, listing.error)) }]
        : [],
    )
    if (flags.json) outJson({ models: found, failed })
    else if (process.stdout.isTTY)
      for (const line of modelTable(found, (model) => nameOf(model, config))) outLine(line)
    else for (const model of found) out(`${visibleLine(nameOf(model, config))}${inBrackets(model)}\n`)
    if (!flags.json)
      for (const { backend, error } of failed)
        err(`${visibleLine(`${backend}: models could not be listed: ${error}`)}\n`)
    if (failed.length > 0 && found.length === 0) process.exitCode = 1
  } finally {
    await gateway.close()
  }
}

/** Of an alias: the facts of the first model for most requests. */
function withFacts(model: Listed, config: Config): Listed & ModelFacts {
  const [target = ''] = modelsOfAlias(config.models[model.id] ?? model.id)
  const [backend = ''] = target.split('/', 1)
  const tools = toolsOf(config.backends[backend])
  const price = new Prices(config).of({ backend, model: target.slice(backend.length + 1) })
  return { ...model, ...(tools ? { tools } : {}), ...(price ? { price } : {}) }
}

function toolsOf(backend: Config['backends'][string] | undefined): 'native' | 'text' | undefined {
  if (backend === undefined) return undefined
  if (backend.kind === 'openai') return backend.tools
  return backend.kind === 'qwen-web' ? 'text' : 'native'
}

const nameOf = ({ id }: ModelFacts, { models }: Config) => `${id}${aliasOf(models[id])}`

const aliasOf = (target: AliasSetting | undefined) => (target === undefined ? '' : ` → ${aliasWords(target)}`)

/** For programs that read lines: the name, then what is known. */
function inBrackets({ contextTokens, outputTokens, price }: ModelFacts): string {
  const parts = [
    contextTokens && `context ${contextTokens}`,
    outputTokens && `output ${outputTokens}`,
    price && price !== 'plan' && `price ${price.input} in, ${price.output} out`,
  ].filter(Boolean)
  return parts.length > 0 ? `  (${parts.join(', ')})` : ''
}
