/// News of an item that processes tell one another as names of its attributes.
package enum ItemNews {
    /// What the name of an attribute begins with that is news.
    private static let head = "sheaf-"

    /// Whether presenters of the folders that the item is in are told, too.
    static func reachesFolders(_ name: String) -> Bool { name.hasPrefix(head) }
}

extension AccessArbiter {
    /// Who is told of an item's attributes, and of which: its presenters of all, those of the folders above of news.
    package func recipients(
        of names: [String],
        about item: ItemPath,
        except: PresenterID?
    ) -> [(presenter: PresenterID, names: [String])] {
        var recipients = presenters(of: item).map { (presenter: $0, names: names) }
        let news = names.filter(ItemNews.reachesFolders)
        if !news.isEmpty {
            for folder in item.ancestors {
                recipients += presenters(of: folder).map { (presenter: $0, names: news) }
            }
        }
        return recipients.filter { $0.presenter != except }
    }
}
