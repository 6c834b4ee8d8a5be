public import Foundation

/// Puts other objects and values in place of those that a query gives.
///
/// Called on the query's own queue. Both methods are optional, as each has a default.
public protocol NSMetadataQueryDelegate: NSObjectProtocol {
    /// What stands in the results for an item; asked once for each. The default is the item.
    func metadataQuery(
        _ query: NSMetadataQuery,
        replacementObjectForResultObject result: NSMetadataItem
    ) -> Any

    /// What value lists and groups have for a value. The default is the value.
    func metadataQuery(
        _ query: NSMetadataQuery,
        replacementValueForAttribute attrName: String,
        value attrValue: Any
    ) -> Any
}

extension NSMetadataQueryDelegate {
    /// The item itself.
    public func metadataQuery(
        _ query: NSMetadataQuery,
        replacementObjectForResultObject result: NSMetadataItem
    ) -> Any { result }

    /// The value itself.
    public func metadataQuery(
        _ query: NSMetadataQuery,
        replacementValueForAttribute attrName: String,
        value attrValue: Any
    ) -> Any { attrValue }
}
