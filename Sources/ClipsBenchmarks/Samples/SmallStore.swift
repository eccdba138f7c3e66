import ClipsCore
import PersistentStore

/// Stores with a few clips.
enum SmallStore {
    /// Creates a store like the app; if `isTracked` is false, the same tables without history.
    static func make(_ path: String, clips: Int = 100, isTracked: Bool = true) throws {
        try blocking {
            let model = isTracked ? try ClipModel.make() : try untrackedModel()
            let container = try await PersistentContainer(path: path, model: model)
            let context = container.makeContext(author: "sample")
            for number in 0..<clips {
                try await context.insert(ClipModel.entity, values(number))
            }
            try await context.save()
            await container.close()
        }
    }

    static func untrackedModel() throws(StoreError) -> StoreModel {
        let model = try ClipModel.make()
        let entities = model.entities.map {
            Entity($0.name, attributes: $0.attributes, tracksHistory: false)
        }
        return try StoreModel(version: model.version, entities: entities)
    }

    static func values(_ number: Int) -> [String: Value] {
        [
            ClipAttribute.title.rawValue: .text(SampleClip.title(number)),
            ClipAttribute.url.rawValue: .text(SampleClip.url(number)),
            ClipAttribute.text.rawValue: .text(SampleClip.text(number)),
            ClipAttribute.tags.rawValue: .text(SampleClip.tags(number)),
            ClipAttribute.author.rawValue: .text("sample"),
        ]
    }
}
